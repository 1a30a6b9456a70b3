/**
 * The order of the test files of a run. A file of a minute that begins last keeps one core of the machine
 * idle for that minute, and by itself Vitest knows no more than the sizes of files on a machine where it has
 * not run before.
 */
import { basename } from 'node:path';
import type { TestSequencer, TestSpecification, Vitest } from 'vitest/node';

/**
 * The project whose files are long comes first, and the many of some milliseconds fill the end of the run. A
 * worker loads its modules anew for another project.
 */
const PROJECTS: readonly string[] = ['postgres', 'node'];

/** Those of more than some thirteen seconds, the longest first. The others keep the order of their names. */
const LONGEST: readonly string[] = [
  'main-ways',
  'storage-contract',
  'postgres-backup',
  'hostile-strings',
  'postgres-failures',
  'process',
  'backup',
  'processes-behind-caddy',
  'notifications-processes',
  'payments-processes',
  'processes',
  'backup-schedule',
  'tip-feed-process',
  'mail-processes',
  'migrations',
  'tip-feed',
  'hostile-fuzz',
  'postgres-move',
  'postgres-versions',
  'access-matrix',
  'connections',
  'limits',
  'data-watch',
  'openapi',
  'mail-relay',
  'print-sheets',
  'lock-outs',
  'process-stop',
];

function placeOf(file: TestSpecification): readonly [project: number, file: number] {
  const long = LONGEST.indexOf(basename(file.moduleId, '.test.ts'));
  return [PROJECTS.indexOf(file.project.name), long === -1 ? LONGEST.length : long];
}

export class LongestFirst implements TestSequencer {
  readonly #vitest: Vitest;

  constructor(vitest: Vitest) {
    this.#vitest = vitest;
  }

  /** Every so many of the ordered files, so that each part has some of the long ones. */
  async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.#vitest.config.shard ?? { index: 1, count: 1 };
    return (await this.sort(files)).filter((_, place) => place % count === index - 1);
  }

  async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placed = files.map((file) => ({ file, place: placeOf(file) }));
    placed.sort(
      (one, other) =>
        one.place[0] - other.place[0] ||
        one.place[1] - other.place[1] ||
        (one.file.moduleId < other.file.moduleId ? -1 : 1),
    );
    return placed.map(({ file }) => file);
  }
}
