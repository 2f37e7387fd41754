#!/bin/sh
# Ctrl-C in a terminal reaches every process of the group. workerd would end at once, and the calls in flight with it;
# an ignored signal stays ignored across exec, so it is `modelrig dev` alone that decides when the runtime ends.
trap '' INT
exec "$MODELRIG_WORKERD" "$@"
