#!/bin/bash
# Replaces `curl` in tests of documents: a stream ends when it has sent all its data, not after some seconds.
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
# The exit code of curl after a timeout.
exit 28
