#!/bin/sh
# Every night: a backup of the board that runs as a service, and none that is older than two weeks.
# Copy to /etc/cron.daily/blackboard (without a dot in its name), mode 755. docs/public-board.md shows the steps.
set -eu
umask 077
backups=/var/backups/blackboard
# In this directory operate finds the settings of the board.
cd /etc/blackboard
runuser -u blackboard -- blackboard operate backup "$backups/$(date +%F)"
# A backup still holds what expired or was removed after it was made: keep few.
find "$backups" -mindepth 1 -maxdepth 1 -mtime +14 -exec rm -r {} +
