/**
 * A drive that may go away, such as a network drive. It is asked off the event loop, which a drive without an answer
 * would stop, and one question at a time, because each one without an answer holds one of the process's few threads.
 */
import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** The drive has not answered in time. */
export class DriveUnanswered extends Error {
  override readonly name = 'DriveUnanswered';
}

export interface Drive {
  /** @throws DriveUnanswered when the question, or one before it, has no answer in time. It may still be answered later. */
  ask<Answer>(question: () => Promise<Answer>, patienceMs: number): Promise<Answer>;
}

/** @param what names the drive in errors. */
export function createDrive(what: string): Drive {
  let asked: Promise<unknown> | null = null;

  return {
    async ask(question, patienceMs) {
      const isAnswered = new AbortController();
      const tooLate = sleep(patienceMs, undefined, { signal: isAnswered.signal }).then(() => {
        throw new DriveUnanswered(`${what} does not answer`);
      });
      try {
        while (asked !== null) await Promise.race([asked, tooLate]);
        const answer = question();
        asked = answer.then(
          () => {
            asked = null;
          },
          () => {
            asked = null;
          },
        );
        return await Promise.race([answer, tooLate]);
      } finally {
        isAnswered.abort();
      }
    },
  };
}

export async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
