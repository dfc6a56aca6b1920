/*
 * Whether Laurel can run on this machine, and with which Node. No TypeScript, as an older Node has to run it; `npm start` runs it first.
 */
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const NODE_MIN = 26
const require = module.createRequire(import.meta.url)

/** Whether a Node is new enough to run Laurel. */
export function runsLaurel({ versions }) {
  return Number(versions.node.split('.')[0]) >= NODE_MIN
}

/** The packages with Node, one for each platform. */
function nodePackages() {
  return Object.keys(require('../package.json').optionalDependencies)
}

/** The Node that npm has installed with Laurel; undefined if there is none. */
export function installedNode() {
  for (const name of nodePackages())
    try {
      return require.resolve(`${name}/bin/node`)
    } catch {
      // It is for another platform.
    }
  return undefined
}

/** Why Laurel cannot run in a process, nor with the Node that `findNode` finds, in one sentence; undefined if it can. */
export function platformProblem(process, findNode) {
  const { platform, arch } = process
  if (platform === 'win32') return 'Windows is not supported: run Laurel in WSL2 or in a container'
  if (runsLaurel(process) || findNode() !== undefined) return undefined
  return nodePackages().some((name) => name.endsWith(`-${platform}-${arch}`))
    ? 'Node 26 is required, but the one that npm installs with Laurel is missing: run npm ci, or npm install'
    : `Node 26 is required, and npm has none for ${platform === 'darwin' ? 'Intel Macs' : `${platform} ${arch}`}: install it from nodejs.org and start again`
}

/** Ends the process with a sentence if Laurel cannot run here. */
export function assertPlatform() {
  const problem = platformProblem(process, installedNode)
  if (problem === undefined) return
  console.error(`laurel: ${problem}`)
  process.exit(2)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) assertPlatform()
