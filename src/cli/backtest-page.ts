import type { BacktestDocument } from './backtest-document.ts'
export async function pageOf(found: BacktestDocument): Promise<string> {
  return JSON.stringify(found)
}
