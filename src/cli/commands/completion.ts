import type { Command } from 'commander'
import { OperatorError } from '../../errors.ts'
import { completedArgument } from '../command-parts.ts'
import { printText } from '../output/print.ts'

const HELP = `
bash, in ~/.bashrc:  source <(laurel completion bash)
zsh, in ~/.zshrc:    source <(laurel completion zsh)
fish:                laurel completion fish > ~/.config/fish/completions/laurel.fish

Completion works for the command laurel. Where that is not installed, as in a clone, define it (fish: function laurel; npx --no -- laurel $argv; end):
  laurel() { npx --no -- laurel "$@"; }`

export function defineCompletion(command: Command): void {
  command
    .addArgument(completedArgument('<shell>', Object.keys(SHELLS)))
    .addHelpText('after', HELP)
    .action((shell: string) => completion(command.parent!, shell))
}

/** A command by its path, with what may follow: subcommands, one of some words, or a file. */
type Completion = Readonly<{
  path: readonly string[]
  commands: readonly Command[]
  choices: readonly string[]
  options: readonly string[]
}>

const SHELLS: Readonly<Record<string, (completions: readonly Completion[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** `laurel completion`: prints a script for a shell that completes commands and options. Errors: OperatorError for another shell. */
function completion(laurel: Command, shell: string): void {
  const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
  if (write === undefined)
    throw new OperatorError(`unknown shell "${shell}", expected one of ${Object.keys(SHELLS).join(', ')}`)
  printText(write(completionsOf(laurel, [])))
}

function completionsOf(command: Command, path: readonly string[]): Completion[] {
  const options = [...command.options.map(({ long }) => long ?? ''), '--help'].filter((long) => long !== '')
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  const { commands } = command
  return [{ path, commands, choices, options }, ...commands.flatMap((one) => completionsOf(one, [...path, one.name()]))]
}

/** The paths of all commands but the root, as a pattern of `case`. */
function pathsPattern(completions: readonly Completion[]): string {
  return completions
    .slice(1)
    .map(({ path }) => `"${path.join(' ')}"`)
    .join('|')
}

/** Where no word matches, bash completes file names. */
function bashScript(completions: readonly Completion[]): string {
  const words = completions.map(
    ({ path, commands, choices, options }) =>
      `    "${path.join(' ')}") words="${[...commands.map((one) => one.name()), ...choices, ...options].join(' ')}" ;;`,
  )
  return `_laurel() {
  local path="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${pathsPattern(completions)}) path="\${path:+$path }$word" ;;
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

/** Words with their descriptions. To be sourced, or saved as `_laurel` in a directory of `fpath`. */
function zshScript(completions: readonly Completion[]): string {
  const described = (command: Command) => {
    const meaning = command.description().replaceAll("'", '').replaceAll(':', '\\:')
    return `'${command.name()}:${meaning}'`
  }
  const cases = completions.map(({ path, commands, choices, options }) => {
    const wanted = [...commands.map(described), ...choices].join(' ')
    return `    "${path.join(' ')}") wanted=(${wanted}); flags=(${options.join(' ')}) ;;`
  })
  const groups = completions.flatMap(({ path, commands }) => (commands.length === 0 ? [] : [`"${path.join(' ')}"`]))
  // No variable may be called path or words: zsh uses these for the search path and the words being completed.
  return `#compdef laurel
_laurel() {
  local key="" word
  local -a wanted flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${key:+$key }$word" in
      ${pathsPattern(completions)}) key="\${key:+$key }$word" ;;
    esac
  done
  case "$key" in
${cases.join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    compadd -- "\${flags[@]}"
    return
  fi
  (( $#wanted )) && _describe word wanted
  case "$key" in
    ${groups.join('|')}) ;;
    *) _files ;;
  esac
}
if [[ "\${funcstack[1]}" == _laurel ]]; then
  _laurel "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _laurel laurel
fi
`
}

function fishScript(completions: readonly Completion[]): string {
  const lines = completions.flatMap(({ path, commands, choices, options }) => {
    const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`)
    const none =
      commands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${commands.map((one) => one.name()).join(' ')}`]
    const when = [...seen, ...none].join('; and ')
    const condition = when === '' ? '' : ` -n '${when}'`
    return [
      ...commands.map(
        (one) => `complete -c laurel${condition} -f -a ${one.name()} -d '${one.description().replaceAll("'", '')}'`,
      ),
      ...(choices.length === 0 ? [] : [`complete -c laurel${condition} -a '${choices.join(' ')}'`]),
      ...options.map((option) => `complete -c laurel${condition} -l ${option.slice(2)}`),
    ]
  })
  return `${lines.join('\n')}\n`
}
