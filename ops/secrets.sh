#!/bin/sh
# Writes the secrets of compose.yaml and ops/kubernetes.yaml into a new directory: sh ops/secrets.sh [DIRECTORY]
# Only its owner can open the directory; the files are readable, because the user of the container reads them.
set -eu
directory=${1:-secrets}

random() { head -c "$1" /dev/urandom; }
hex() { od -An -tx1 | tr -d ' \n'; }
base64url() { base64 | tr -d '=\n' | tr '+/' '-_'; }
checksum() { { sha256sum 2>/dev/null || shasum -a 256; } | cut -c 1-8; }

umask 022
mkdir -m 0700 "$directory"
password=$(random 24 | hex)
token="laurel_$(random 6 | hex)_$(random 32 | base64url)"
echo "$password" > "$directory/postgres-password"
echo "postgres://laurel:$password@postgres/laurel" > "$directory/database-url"
echo "$token$(printf %s "$token" | checksum)" > "$directory/first-token"
random 32 | base64url > "$directory/erasure-key"
echo "The secrets are in $directory; the admin token is in $directory/first-token. Keep copies of first-token and erasure-key."
