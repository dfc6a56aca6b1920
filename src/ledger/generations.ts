/**
 * A map of bounded weight: of what was set or found before values of the weight `keptMin`, what has not been found since is dropped. So at most twice
 * that weight is kept.
 */
export function createGenerations<T>(keptMin: number, weightOf: (value: T) => number) {
  let young = new Map<string, T>()
  let old = new Map<string, T>()
  let weight = 0
  function set(key: string, value: T): void {
    if (weight >= keptMin) {
      old = young
      young = new Map()
      weight = 0
    }
    removeFromYoung(key)
    young.set(key, value)
    weight += weightOf(value)
  }
  function get(key: string): T | undefined {
    const recent = young.get(key)
    if (recent !== undefined) return recent
    const older = old.get(key)
    if (older !== undefined) set(key, older)
    return older
  }
  function removeFromYoung(key: string): void {
    const value = young.get(key)
    if (value === undefined) return
    young.delete(key)
    weight -= weightOf(value)
  }
  function remove(key: string): void {
    removeFromYoung(key)
    old.delete(key)
  }
  return { get, set, delete: remove }
}
