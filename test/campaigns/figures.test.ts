import test from 'node:test'
import { runFiguresCampaign } from './figures.ts'

for (const database of ['embedded', 'postgres'] as const)
  test(`at random instants while players are loaded, every figure is what its moment and quality say (${database}; decision 207)`, async (t) => {
    await runFiguresCampaign({ database, players: 300, seconds: 4, say: (line) => t.diagnostic(line) })
  })
