#!/bin/bash
# Substitute for systemd with one service: runs the command of the unit in its directory, until it is stopped.
set -euo pipefail
unit="$MACHINE/etc/systemd/system/blackboard.service"
pid_file="$MACHINE/run/blackboard.pid"
log="$MACHINE/run/blackboard.log"
setting() { sed -n "s/^$1=//p" "$unit"; }
running() { [[ -f "$pid_file" ]] && kill -0 "$(cat "$pid_file")" 2> /dev/null; }

start() {
  running && return
  local asserted command
  asserted="$(setting AssertPathExists)"
  [[ -e "$asserted" ]] || { echo "There is no $asserted." >&2; exit 1; }
  read -ra command <<< "$(setting ExecStart)"
  mkdir -p "$MACHINE/var/lib/$(setting StateDirectory)"
  : > "$log"
  (cd "$(setting WorkingDirectory)" && exec "${command[@]}" > "$log" 2>&1 < /dev/null) &
  echo $! > "$pid_file"
  until grep -q '^blackboard ready' "$log"; do
    running || { cat "$log" >&2; exit 1; }
    sleep 0.05
  done
}
stop() {
  running || return 0
  kill -TERM "$(cat "$pid_file")"
  while running; do sleep 0.05; done
  rm "$pid_file"
}

case "$*" in
  daemon-reload) ;;
  "start blackboard" | "enable --now blackboard") start ;;
  "stop blackboard" | "disable --now blackboard") stop ;;
  "restart blackboard") stop; start ;;
  "reload blackboard") running && eval "$(setting ExecReload | sed "s/\$MAINPID/$(cat "$pid_file")/")" ;;
  "status blackboard") running && echo "blackboard.service: active (running)" || { echo "blackboard.service: inactive"; exit 3; } ;;
  *) echo "systemctl $* is not known here" >&2; exit 1 ;;
esac
