type SchemaPart = Readonly<{ properties?: Readonly<Record<string, Readonly<{ description?: string }>>> }>

/** The names of all fields of a program, with their descriptions, from the schema that the service publishes for editors. */
export async function programWords(): Promise<{ label: string; detail: string }[]> {
  const schema: unknown = await (await fetch('/schemas/program.json')).json()
  const words = new Map<string, string>()
  collect(schema, words)
  return [...words]
    .map(([label, detail]) => ({ label, detail }))
    .sort((one, other) => one.label.localeCompare(other.label))
}

function collect(part: unknown, words: Map<string, string>): void {
  if (typeof part !== 'object' || part === null) return
  const { properties = {} } = part as SchemaPart
  for (const [name, { description = '' }] of Object.entries(properties))
    if (!words.has(name)) words.set(name, description)
  for (const inner of Object.values(part)) collect(inner, words)
}
