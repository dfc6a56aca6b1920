/** What the starter program answers for an order of the extract, predicted for a player without points. */
export interface ExpectedPrediction {
  readonly orderId: string
  readonly userId: string
  /** As `toOrders` writes it with 0 and with 2 decimals. Both earn the same points; see the README. */
  readonly totalAmount: string
  readonly totalAmountExact: string
  readonly points: number
  readonly message: string
}

/** The day of the extract that has the most orders, and how many. */
export const BUSY_DAY = { day: '2010-12-16', orders: 35 } as const

/**
 * Three orders of the busy day, worked out by hand under the starter program: 1 point for every 10 of the net amount, in
 * proportion, rounded down; Bronze from 0, Silver from 500. The discount is 0, so the net amount is the total.
 */
export const EXPECTED: readonly ExpectedPrediction[] = [
  // Two lines: 20 x 1.55 = 31.00; 48 x 3.45 = 165.60. Together 196.60; 196 / 10 = 19.6, down to 19.
  {
    orderId: '539093',
    userId: '15482',
    totalAmount: '196',
    totalAmountExact: '196.60',
    points: 19,
    message: 'You will earn 19 points and stay at Bronze.',
  },
  // Eleven lines: 200 x 3.82 = 764.00; 200 x 3.37 = 674.00, twice; 408 x 1.25 = 510.00, twice; 408 x 1.45 = 591.60;
  // 144 x 1.69 = 243.36; 144 x 1.53 = 220.32, twice; 144 x 1.85 = 266.40; 2400 x 0.94 = 2256.00.
  // 764.00 + 1348.00 + 1020.00 + 591.60 + 243.36 + 440.64 + 266.40 + 2256.00 = 6930.00; 6930 / 10 = 693: Silver.
  {
    orderId: '539101',
    userId: '16029',
    totalAmount: '6930',
    totalAmountExact: '6930.00',
    points: 693,
    message: 'You will earn 693 points and be upgraded to Silver.',
  },
  // 21 lines, the last one free: 3 x 4.95 = 14.85; 24 x 1.25 = 30.00; 12 x 1.25 = 15.00, twice; 3 x 10.95 = 32.85;
  // 1 x 12.75; 2 x 7.95 = 15.90, twice; 8 x 4.95 = 39.60; 4 x 3.75 = 15.00, twice; 12 x 0.85 = 10.20, four times;
  // 6 x 2.95 = 17.70; 1 x 9.95; 25 x 0.42 = 10.50; 12 x 1.49 = 17.88; 2 x 6.75 = 13.50; 4 x 0.00.
  // 14.85 + 30.00 + 30.00 + 32.85 + 12.75 + 31.80 + 39.60 + 30.00 + 40.80 + 17.70 + 9.95 + 10.50 + 17.88 + 13.50 = 332.18;
  // 332 / 10 = 33.2, down to 33.
  {
    orderId: '539263',
    userId: '16560',
    totalAmount: '332',
    totalAmountExact: '332.18',
    points: 33,
    message: 'You will earn 33 points and stay at Bronze.',
  },
]
