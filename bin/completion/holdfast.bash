# Completion of holdfast in bash. The words are taken from the line: bash splits them at =, : and @, which names of jobs can
# have in them, and replaces only what follows the last of these.
_holdfast() {
  local line="${COMP_LINE:0:COMP_POINT}" own="${COMP_WORDS[COMP_CWORD]}"
  local current strip candidate quoted files=
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current="${words[${#words[@]} - 1]}"
  [[ $own == [=:@]* ]] && own=
  strip="${current%"$own"}"
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    if [[ $candidate == :files ]]; then
      files=1
    else
      printf -v quoted %q "${candidate#"$strip"}"
      COMPREPLY+=("$quoted")
    fi
  done < <(holdfast __complete "${words[@]:1}" 2>/dev/null)
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "$own")
  fi
}
complete -F _holdfast holdfast
