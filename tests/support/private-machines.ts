/**
 * Machines on one machine: each has a network address, folders of the system and a disk of its own, and the
 * programs of the system run on it with their usual paths. They are namespaces of Linux inside others, so that
 * nothing outside sees them, and all of it ends with the process that made them.
 */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './running-server.ts';

/** 192.0.2.0/24 is for documentation (RFC 5737); nothing of it leaves the namespaces. */
const NETWORK = '192.0.2';
const BRIDGE = 'machines';
const MEBIBYTE = 1_048_576;
const NEW_NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** The first process of such a namespace inherits the orphans, and the shell waits for them. */
const REAPING = ['sh', '-c', '"$@"; exit $?', 'sh'];

/**
 * Runs a module as the first process of namespaces for networks, mounts and processes. With it everything ends that
 * it started. It hears `disconnect` when this process ends, and then has to end itself.
 * @returns what the module has sent by `process.send`.
 * @throws Error when it ends without a word, as where this user may not make namespaces.
 */
export async function runInNamespaces(module: string, args: readonly string[]): Promise<unknown> {
  const child = fork(module, args, {
    execPath: 'unshare',
    execArgv: [...NEW_NAMESPACES, ...REAPING, process.execPath, ...process.execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let said: unknown;
  child.on('message', (message) => {
    said = message;
  });
  const [code] = await once(child, 'exit');
  if (said === undefined)
    throw new Error(`a process in namespaces ended with ${code}: it needs Linux, root, unshare, ip and nft`);
  return said;
}

export type Cut = 'everybody' | 'the other machines';

export interface Machine {
  readonly name: string;
  /** Where a folder of the system on this machine is seen from outside. */
  placeOf(folder: string): string;
  /** Starts a program of the system as one of its users. */
  start(
    words: readonly [string, ...string[]],
    options: { user: string; environment?: Readonly<Record<string, string>>; log: string },
  ): ChildProcess;
  /** Drops, without a word, what goes between this machine and others. */
  cutOff(from: Cut): void;
  /** Ends that. */
  rejoin(): void;
  /** Leaves no room on its disk. */
  fillDisk(): void;
  emptyDisk(): void;
  /** Takes its disk away, once nothing runs on it. */
  remove(): void;
}

interface Layout {
  /** Existing folders of the system of which each machine has one of its own. */
  readonly folders: readonly string[];
  readonly disk: { readonly folder: string; readonly mebibytes: number };
  /** A group that all users are in on these machines. */
  readonly group: string;
}

/**
 * Makes machines that reach each other, and that this process reaches, by their names.
 * @param aliases further names of this process' own machine.
 */
export function createMachines(
  names: readonly string[],
  aliases: readonly string[],
  { folders, disk, group }: Layout,
): readonly Machine[] {
  const root = temporaryFolder();
  const run = (program: string, ...args: readonly string[]) => execFileSync(program, args, { stdio: 'pipe' });
  const ip = (words: string) => run('ip', ...words.split(' '));
  mkdirSync('/run/netns', { recursive: true });
  run('mount', '-t', 'tmpfs', 'machines', '/run/netns');
  const addressed = names.map((name, index) => ({
    name,
    address: `${NETWORK}.${11 + index}`,
    port: `port${index + 1}`,
  }));
  const hosts = [['127.0.0.1', 'localhost', ...aliases], ...addressed.map((one) => [one.address, one.name])];
  writeFileSync(join(root, 'hosts'), hosts.map((words) => `${words.join(' ')}\n`).join(''));
  run('mount', '--bind', join(root, 'hosts'), '/etc/hosts');
  ip('link set lo up');
  ip(`link add ${BRIDGE} type bridge`);
  ip(`address add ${NETWORK}.1/24 dev ${BRIDGE}`);
  ip(`link set ${BRIDGE} up`);

  return addressed.map(({ name, address, port }) => {
    ip(`netns add ${name}`);
    ip(`link add ${port} type veth peer name eth0 netns ${name}`);
    ip(`link set ${port} master ${BRIDGE} up`);
    ip(`-n ${name} address add ${address}/24 dev eth0`);
    ip(`-n ${name} link set eth0 up`);
    ip(`-n ${name} link set lo up`);
    const placeOf = (folder: string) => join(root, name, folder);
    for (const folder of [...folders, disk.folder]) mkdirSync(placeOf(folder), { recursive: true });
    const onDisk = placeOf(disk.folder);
    run('mount', '-t', 'tmpfs', '-o', `size=${disk.mebibytes}m`, 'disk', onDisk);
    const filler = join(onDisk, 'filler');

    return {
      name,
      placeOf,
      start(words, { user, environment = {}, log }) {
        // The mounts are seen by this program and what it starts.
        const mounts = [...folders, disk.folder].map(
          (folder) => `mount --bind '${placeOf(folder)}' '${folder}'`,
        );
        const change = `exec setpriv --reuid=${user} --regid=${user} --groups=${group} "$@"`;
        const written = openSync(join(root, name, log), 'a');
        return spawn(
          'ip',
          ['netns', 'exec', name, 'sh', '-ec', [...mounts, change].join('\n'), 'sh', ...words],
          {
            env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC', ...environment },
            stdio: ['ignore', written, written],
          },
        );
      },
      cutOff(from) {
        if (from === 'everybody') ip(`link set ${port} nomaster`);
        else
          run(
            'nft',
            `table bridge ${port} { chain forward { type filter hook forward priority 0;
              iifname ${port} drop; oifname ${port} drop; }; }`,
          );
      },
      rejoin() {
        ip(`link set ${port} master ${BRIDGE}`);
        run('nft', `add table bridge ${port}; delete table bridge ${port}`);
      },
      fillDisk() {
        const { bavail, bsize } = statfsSync(onDisk);
        const free = Math.floor((bavail * bsize) / MEBIBYTE);
        if (free > 0) run('fallocate', '--length', `${free}MiB`, filler);
        // The rest, less than a mebibyte; it fails when there is no more room.
        run('sh', '-c', `cat /dev/zero >> '${filler}' 2>/dev/null || true`);
      },
      emptyDisk: () => rmSync(filler, { force: true }),
      remove: () => run('umount', '--lazy', onDisk),
    };
  });
}
