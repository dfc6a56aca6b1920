import type fc from 'fast-check'
import type { HistoryStep, World } from '../replay.ts'
import type { SearchSpace } from './search-space.ts'

/** Steps that are recorded one after the other in the world of a counterexample. */
export type History = Readonly<{ name: string; steps: readonly HistoryStep[] }>

/** Histories that violate a property, and what is wrong with them, in sentences for a shop owner. */
export type Counterexample = Readonly<{
  title: string
  because: readonly string[]
  world: World
  histories: readonly History[]
}>

/** A property that every sound program has. `Sample` is what fast-check generates and shrinks. */
export type ProgramProperty<Sample> = Readonly<{
  /** The property, in one sentence. */
  promise: string
  /** Whether it can be violated at all under a program; absent: under any. */
  applies?: (space: SearchSpace) => boolean
  /** Whether there are so few samples that most are generated many times. Absent: no. */
  areFew?: boolean
  samples: (space: SearchSpace) => fc.Arbitrary<Sample>
  /** The counterexample that a sample yields; undefined if the property holds. */
  counterexample: (sample: Sample, space: SearchSpace) => Counterexample | undefined
}>
