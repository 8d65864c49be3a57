// Writes the completion scripts of shells. Pure: names of commands and options are letters and hyphens.

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];
export const isShell = (name: string): name is Shell => SHELLS.some((shell) => shell === name);

/** Words by the path of commands before them, such as `runs list`. */
export type Completions = Record<string, readonly string[]>;

export function buildCompletionScript(shell: Shell, words: Completions): string {
  return shell === 'fish' ? buildFishScript(words) : buildBashScript(words, shell === 'zsh');
}

/** zsh runs it by bashcompinit. */
function buildBashScript(words: Completions, isZsh: boolean): string {
  const cases = Object.entries(words).map(([path, list]) => `    '${path}') list='${list.join(' ')}' ;;`);
  return [
    ...(isZsh ? ['autoload -U +X compinit && compinit', 'autoload -U +X bashcompinit && bashcompinit'] : []),
    '_millrace() {',
    '  local word path="" list="" current="${COMP_WORDS[COMP_CWORD]}"',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) continue ;; esac',
    '    case "${path:+$path }$word" in',
    ...Object.keys(words)
      .filter((path) => path !== '')
      .map((path) => `      '${path}') path='${path}' ;;`),
    '    esac',
    '  done',
    '  case "$path" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$list" -- "$current"))',
    '}',
    'complete -o default -F _millrace millrace',
  ].join('\n');
}

function buildFishScript(words: Completions): string {
  const lines = Object.entries(words).flatMap(([path, list]) =>
    list.map((word) => `complete -c millrace -f -n ${buildFishCondition(path, words)} ${quoteFishWord(word)}`),
  );
  return lines.join('\n');
}

const quoteFishWord = (word: string): string => (word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`);

/** The words of the path are there, and none of the next ones. */
function buildFishCondition(path: string, words: Completions): string {
  const there = path.split(' ').filter((word) => word !== '');
  const next = (words[path] ?? []).filter((word) => !word.startsWith('--'));
  const tests = there.map((word) => `__fish_seen_subcommand_from ${word}`);
  if (next.length > 0) tests.push(`not __fish_seen_subcommand_from ${next.join(' ')}`);
  return `'${tests.length > 0 ? tests.join('; and ') : 'true'}'`;
}
