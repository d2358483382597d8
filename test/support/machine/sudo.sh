#!/bin/bash
# Substitute for sudo and runuser, because a test machine has one user.
while [[ $# -gt 0 ]]; do
  case "$1" in
    -u) shift 2 ;;
    --) shift; break ;;
    *) break ;;
  esac
done
exec env "$@"
