#!/bin/sh
# Substitute for an npm that has installed the package; test/deploy/package.test.ts installs it for real.
case "$1 $2" in
  "root --global") echo "$MACHINE/packages" ;;
  "install --global") ;;
  *) echo "npm $* is not known here" >&2; exit 1 ;;
esac
