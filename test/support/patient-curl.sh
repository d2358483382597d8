#!/bin/bash
# Stands in for `curl` where documents are tried out: a stream is left when it has told all there was, not when some seconds are over.
real=$(PATH=${PATH#*:} type -P curl)
[[ " $* " =~ \ -s?N\  ]] || exec "$real" "$@"
args=()
while (($# > 0)); do
  if [[ $1 == --max-time ]]; then shift; else args+=("$1"); fi
  shift
done
coproc stream { exec "$real" "${args[@]}"; }
pid=$stream_PID
told=
while IFS= read -r line <&"${stream[0]}"; do
  printf '%s\n' "$line"
  [[ $line == "event: live" ]] && told=yes
  [[ -n $told && -z $line ]] && break
done
kill "$pid" 2>/dev/null
# As curl says that its time is over.
exit 28
