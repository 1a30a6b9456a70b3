#!/bin/sh
# Makes the certificates of a cluster: certificates.sh FOLDER NODE...
#
# FOLDER gets ca.crt and ca.key once, and NODE.crt with NODE.key for each name that has none yet, so that the
# same command makes the certificate of a further node. To renew one, delete its two files first. Keep ca.key off
# the nodes: who has it can be any of them.
set -eu
folder=$1
shift
umask 077
mkdir -p "$folder"
cd "$folder"

# P-256, because libpq before version 16 cannot bind a login to a channel with Ed25519.
new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }

if [ ! -e ca.key ]; then
  new_key ca.key
  openssl req -x509 -new -key ca.key -out ca.crt -days 7300 -subj '/CN=Tipwell database CA' \
    -addext 'basicConstraints=critical,CA:TRUE,pathlen:0' -addext 'keyUsage=critical,keyCertSign,cRLSign'
  chmod 0644 ca.crt
fi

for node in "$@"; do
  [ ! -e "$node.crt" ] || continue
  new_key "$node.key"
  # tipwell-db is the name under which Tipwell asks for whichever node leads.
  # A node is a server, and a client of the other nodes' etcd and Patroni.
  printf '%s\n' "subjectAltName=DNS:$node,DNS:tipwell-db" 'basicConstraints=critical,CA:FALSE' \
    'keyUsage=critical,digitalSignature' 'extendedKeyUsage=serverAuth,clientAuth' > "$node.ext"
  openssl req -new -key "$node.key" -subj "/CN=$node" |
    openssl x509 -req -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -extfile "$node.ext" -out "$node.crt"
  rm "$node.ext"
  chmod 0644 "$node.crt"
done
