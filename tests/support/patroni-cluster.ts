/**
 * Three machines with PostgreSQL, Patroni and etcd of Debian, and two HAProxy, one for each process of Tipwell,
 * all with the files of deploy/ha as they are, apart from names, passwords and one port.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { z } from 'zod';
import { until } from './postgres-cluster.ts';
import { createMachines, type Machine } from './private-machines.ts';
import { signalWithChildren } from './process-family.ts';
import { freePort, temporaryFolder } from './running-server.ts';

const FILES = join(import.meta.dirname, '../../deploy/ha');
const NODES = ['tipwell-db1', 'tipwell-db2', 'tipwell-db3'] as const;
/** The name by which Tipwell asks for the primary. */
const ALIAS = 'tipwell-db';
const CONFIG = '/etc/patroni';
/** Hands the lead over when the disk is nearly full. */
const WATCH = 'hand-over-when-full';
/** In seconds: a node's disk is filled, and emptied, more than once in the hour for which it would keep the lead. */
const WATCH_PAUSE = '5';
const DISK = '/var/lib/postgresql';
const DATA = `${DISK}/15/tipwell`;
const SOCKETS = '/run/postgresql';
/** Holds the keys of the certificates. */
const GROUP = 'ssl-cert';
/** Room for the data and for the WAL that the settings keep. */
const DISK_MEBIBYTES = 1_500;
const API_PORT = 8_008;
const API_PATIENCE_MS = 2_000;
const PATIENCE_MS = 180_000;
const LAST_LINES = 40;
const PROXY_BINDING = 'bind 127.0.0.1:5000';

const clusterShape = z.object({
  members: z.array(
    z.object({
      name: z.string(),
      role: z.string(),
      state: z.string(),
      timeline: z.number().optional(),
      lag: z.union([z.number(), z.string()]).optional(),
    }),
  ),
});
type Member = z.infer<typeof clusterShape>['members'][number];

export interface DatabaseNode extends Machine {
  /** The address of Tipwell's database on this node by its socket, whatever becomes of the network. */
  readonly socketUrl: string;
  /** Ends Patroni and all processes of PostgreSQL in one moment. */
  killDatabase(): void;
  startDatabase(): void;
  /** Stops its etcd where it is. */
  pauseLock(): void;
  resumeLock(): void;
}

export interface PatroniCluster {
  /** Through the HAProxy of each process. */
  readonly urls: readonly [string, string];
  readonly nodes: readonly DatabaseNode[];
  /** Waits until one node other than this one leads. */
  replaced(former: DatabaseNode): Promise<DatabaseNode>;
  /** Waits until one node leads and both others follow it, one of them synchronously. */
  healthy(): Promise<{ readonly leader: DatabaseNode; readonly synchronous: DatabaseNode }>;
  /** Hands the lead over as an operator does. */
  switchOver(from: DatabaseNode, to: DatabaseNode): Promise<void>;
  /** The last lines that the programs of all nodes wrote. */
  lastWords(): string;
  stop(): Promise<void>;
}

export async function startPatroniCluster(): Promise<PatroniCluster> {
  const machines = createMachines(NODES, [ALIAS], {
    folders: [CONFIG, '/var/lib/etcd', '/var/log/postgresql', SOCKETS],
    disk: { folder: DISK, mebibytes: DISK_MEBIBYTES },
    group: GROUP,
  });
  const secrets = temporaryFolder();
  execFileSync('sh', [join(FILES, 'certificates.sh'), secrets, ...NODES], { stdio: 'pipe' });
  const authority = join(secrets, 'ca.crt');
  const password = newPassword();
  const passwords = { REPLICATION_PASSWORD: newPassword(), REWIND_PASSWORD: newPassword() };
  const running = new Set<ChildProcess>();
  const proxyLogs: string[] = [];

  function follow(child: ChildProcess): ChildProcess {
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  }

  function createNode(machine: Machine): DatabaseNode {
    const own = (folder: string, user: string, mode = '0750') => {
      execFileSync('chown', [`${user}:${user}`, machine.placeOf(folder)]);
      execFileSync('chmod', [mode, machine.placeOf(folder)]);
    };
    for (const folder of [DISK, '/var/log/postgresql', SOCKETS]) own(folder, 'postgres', '0755');
    own('/var/lib/etcd', 'etcd');
    const config = machine.placeOf(CONFIG);
    copyFileSync(join(FILES, 'patroni.yml'), join(config, 'config.yml'));
    copyFileSync(authority, join(config, 'ca.crt'));
    for (const kind of ['crt', 'key']) {
      const source = join(secrets, `${machine.name}.${kind}`);
      execFileSync('install', ['-g', GROUP, '-m', '0640', source, join(config, `node.${kind}`)]);
    }
    const environmentOf = (file: string) => readSettings(file, { THIS_NODE: machine.name, ...passwords });
    const etcd = follow(
      machine.start(['etcd'], { user: 'etcd', environment: environmentOf('etcd.env'), log: 'etcd.log' }),
    );
    execFileSync('install', ['-m', '0755', join(FILES, WATCH), config]);
    const [, watched = ''] =
      /^ExecStart=\S+ (.*)$/m.exec(readFileSync(join(FILES, `${WATCH}.service`), 'utf8')) ?? [];
    follow(
      machine.start([`${CONFIG}/${WATCH}`, ...watched.split(' '), WATCH_PAUSE], {
        user: 'postgres',
        environment: environmentOf('patroni.env'),
        log: 'watch.log',
      }),
    );
    let patroni: ChildProcess | null = null;
    return {
      ...machine,
      socketUrl: `postgres://tipwell:${password}@/tipwell?host=${encodeURIComponent(machine.placeOf(SOCKETS))}`,
      startDatabase() {
        patroni = follow(
          machine.start(['patroni', `${CONFIG}/config.yml`], {
            user: 'postgres',
            environment: environmentOf('patroni.env'),
            log: 'patroni.log',
          }),
        );
      },
      pauseLock: () => void etcd.kill('SIGSTOP'),
      resumeLock: () => void etcd.kill('SIGCONT'),
      killDatabase() {
        const postmaster = Number(
          readFileSync(join(machine.placeOf(DATA), 'postmaster.pid'), 'utf8').split('\n')[0],
        );
        patroni?.kill('SIGKILL');
        signalWithChildren(postmaster, 'SIGKILL');
      },
    };
  }

  const nodes = machines.map(createNode);
  const identity = {
    ca: readFileSync(authority),
    cert: readFileSync(join(secrets, `${NODES[0]}.crt`)),
    key: readFileSync(join(secrets, `${NODES[0]}.key`)),
  };

  /** What a node's Patroni says of the cluster; null when it says nothing. */
  function askNode(name: string): Promise<readonly Member[] | null> {
    return new Promise((resolve) => {
      const asking = request(
        { host: name, port: API_PORT, path: '/cluster', ...identity, timeout: API_PATIENCE_MS, agent: false },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          answer.on('end', () => {
            try {
              resolve(clusterShape.parse(JSON.parse(text)).members);
            } catch {
              resolve(null);
            }
          });
          answer.on('error', () => resolve(null));
        },
      );
      asking.on('timeout', () => asking.destroy());
      asking.on('error', () => resolve(null));
      asking.end();
    });
  }

  async function views(): Promise<readonly (readonly Member[])[]> {
    const answers = await Promise.all(nodes.map(({ name }) => askNode(name)));
    return answers.filter((answer) => answer !== null);
  }

  const nodeOf = (name: string) => {
    const node = nodes.find((one) => one.name === name);
    if (!node) throw new Error(`there is no node ${name}`);
    return node;
  };

  /** Waits until the nodes that answer are seen as somebody wants to see them. */
  async function waitFor<Result>(
    see: (views: readonly (readonly Member[])[]) => Result | null,
    what: string,
  ): Promise<Result> {
    let seen: Result | null = null;
    let last: readonly (readonly Member[])[] = [];
    await until(
      async () => {
        last = await views();
        seen = see(last);
        return seen !== null;
      },
      () => `${what}: ${JSON.stringify(last)}`,
      PATIENCE_MS,
    );
    if (seen === null) throw new Error(what);
    return seen;
  }

  const healthy = () =>
    waitFor((all) => {
      const [members] = all;
      if (!members || all.length < nodes.length) return null;
      const leader = members.find(({ role }) => role === 'leader');
      const synchronous = members.find(({ role }) => role === 'sync_standby');
      const isWhole =
        members.length === nodes.length &&
        members.every(
          ({ state, timeline, lag }) => state === 'running' && timeline === leader?.timeline && !lag,
        );
      return leader && synchronous && isWhole
        ? { leader: nodeOf(leader.name), synchronous: nodeOf(synchronous.name) }
        : null;
    }, 'one node leads and the others follow');

  async function startProxy(): Promise<string> {
    const folder = temporaryFolder();
    const port = await freePort();
    const text = readFileSync(join(FILES, 'haproxy.cfg'), 'utf8');
    if (!text.includes(PROXY_BINDING)) throw new Error(`haproxy.cfg does not ${PROXY_BINDING}`);
    const config = join(folder, 'haproxy.cfg');
    writeFileSync(
      config,
      text
        .replace(PROXY_BINDING, `bind 127.0.0.1:${port}`)
        .replaceAll('/etc/haproxy/tipwell-db-ca.crt', authority),
    );
    const path = join(folder, 'haproxy.log');
    const log = openSync(path, 'a');
    proxyLogs.push(path);
    follow(spawn('haproxy', ['-db', '-f', config], { stdio: ['ignore', log, log] }));
    return `postgres://tipwell:${password}@${ALIAS}:${port}/tipwell?sslmode=verify-full&sslrootcert=${authority}`;
  }

  const cluster: PatroniCluster = {
    urls: [await startProxy(), await startProxy()],
    nodes,
    replaced: (former) =>
      waitFor((all) => {
        for (const members of all) {
          const leader = members.find(({ role, state }) => role === 'leader' && state === 'running');
          if (leader && leader.name !== former.name) return nodeOf(leader.name);
        }
        return null;
      }, `another node than ${former.name} leads`),
    healthy,
    async switchOver(from, to) {
      const words = ['switchover', '--force', '--leader', from.name, '--candidate', to.name] as const;
      const child = from.start(['patronictl', '-c', `${CONFIG}/config.yml`, ...words], {
        user: 'postgres',
        log: 'patronictl.log',
      });
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Error(`patronictl switchover ended with ${code}`);
    },
    lastWords: () =>
      [
        ...proxyLogs,
        ...nodes.flatMap((node) => [
          node.placeOf('patroni.log'),
          node.placeOf('watch.log'),
          node.placeOf('/var/log/postgresql/postgresql-15-tipwell.log'),
        ]),
      ]
        .flatMap((path) =>
          existsSync(path)
            ? [`--- ${path}`, ...readFileSync(path, 'utf8').trimEnd().split('\n').slice(-LAST_LINES)]
            : [],
        )
        .join('\n'),
    async stop() {
      for (const child of running) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      for (const node of nodes) {
        try {
          node.killDatabase();
        } catch {
          // Nothing runs there.
        }
        node.remove();
      }
    },
  };

  try {
    for (const node of nodes) node.startDatabase();
    const { leader } = await healthy();
    // As the documentation has the operator do it, on the node that leads.
    for (const statement of [
      `CREATE ROLE tipwell LOGIN PASSWORD '${password}'`,
      'CREATE DATABASE tipwell OWNER tipwell',
    ]) {
      const child = leader.start(['psql', '-qc', statement], { user: 'postgres', log: 'psql.log' });
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Error('psql did not make the database');
    }
    return cluster;
  } catch (error) {
    const said = cluster.lastWords();
    await cluster.stop();
    throw new Error(said, { cause: error });
  }
}

const newPassword = () => randomBytes(24).toString('hex');

/** The settings of a file for systemd's EnvironmentFile, with what an operator puts in. */
function readSettings(file: string, values: Readonly<Record<string, string>>): Record<string, string> {
  let text = readFileSync(join(FILES, file), 'utf8');
  for (const [name, value] of Object.entries(values))
    text = text.replaceAll(new RegExp(`(?<![A-Z_])${name}(?![A-Z_])`, 'g'), value);
  return Object.fromEntries(
    text
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
