/** The program of a new database, as the file that an administrator would write (docs/programs.md). */
export const STARTER_PROGRAM = `name: Starter
rounding: floor                    # applied once, to the order's sum

levels:
  counts: lifetime                 # all points ever earned
  ladder:
    - { name: Bronze,   from: 0 }
    - { name: Silver,   from: 500 }
    - { name: Gold,     from: 2000 }
    - { name: Platinum, from: 10000 }

earn:
  - name: base
    per-amount: { points: 1, every: 10, of: net }     # 1 point for every 10 of the amount after discount
`
