import type { Command } from 'commander'
import { OperatorError } from '../../errors.ts'

/** A command by its words, with what may come after them. */
type Completion = Readonly<{ path: readonly string[]; commands: readonly Command[]; options: readonly string[] }>

const SHELLS: Readonly<Record<string, (completions: readonly Completion[]) => string>> = {
  bash: bashScript,
  zsh: (completions) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(completions)}`,
  fish: fishScript,
}

/** `laurel completion`: prints a script for a shell that completes commands and options. Errors: OperatorError for another shell. */
export function completion(laurel: Command, shell: string): void {
  const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
  if (write === undefined)
    throw new OperatorError(`"${shell}" is not completed, expected ${Object.keys(SHELLS).join(', ')}`)
  process.stdout.write(write(completionsOf(laurel, [])))
}

function completionsOf(command: Command, path: readonly string[]): Completion[] {
  const options = [...command.options.map(({ long }) => long ?? ''), '--help'].filter((long) => long !== '')
  const { commands } = command
  return [{ path, commands, options }, ...commands.flatMap((one) => completionsOf(one, [...path, one.name()]))]
}

/** Where no word fits, bash completes file names. */
function bashScript(completions: readonly Completion[]): string {
  const known = completions.slice(1).map(({ path }) => `"${path.join(' ')}"`)
  const words = completions.map(
    ({ path, commands, options }) =>
      `    "${path.join(' ')}") words="${[...commands.map((one) => one.name()), ...options].join(' ')}" ;;`,
  )
  return `_laurel() {
  local path="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${known.join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _laurel laurel
`
}

function fishScript(completions: readonly Completion[]): string {
  const lines = completions.flatMap(({ path, commands, options }) => {
    const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`)
    const none =
      commands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${commands.map((one) => one.name()).join(' ')}`]
    const when = [...seen, ...none].join('; and ')
    const condition = when === '' ? '' : ` -n '${when}'`
    return [
      ...commands.map(
        (one) => `complete -c laurel${condition} -f -a ${one.name()} -d '${one.description().replaceAll("'", '')}'`,
      ),
      ...options.map((option) => `complete -c laurel${condition} -l ${option.slice(2)}`),
    ]
  })
  return `${lines.join('\n')}\n`
}
