import type { Client } from './client.ts'

/** `laurel program show`: the file as it was published, so that `laurel program show > program.yaml` is a file to start from. */
export async function showProgram(client: Client): Promise<void> {
  const { source } = (await client.call('GET', '/api/admin/programs/current')) as { source: string }
  process.stdout.write(source)
}
