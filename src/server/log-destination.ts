/** Where the log goes, which is standard error, and what it says of a start. */
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Clock } from '#shared/calendar.ts';
import type { Announce } from './storage/port/database.ts';

interface LogDestination extends DestinationStream {
  /** Writes out what is held, before work that stops the event loop. */
  flush(): void;
}

/**
 * The lines of one turn of the event loop go in one write: a write for each line was measured to cost more than making the line. A
 * line is never held longer than that, and none is left behind at the end, whatever ends the process but a kill.
 */
export function createLogDestination(): LogDestination {
  const stderr = pino.destination({ fd: 2, sync: true });
  let lines = '';
  const flush = () => {
    if (lines !== '') stderr.write(lines);
    lines = '';
  };
  process.on('exit', flush);
  return {
    flush,
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}

/** Tells of a step of a start before it begins, because it may stop the event loop for minutes, and how long it took when it has ended. */
export function createAnnounce(log: Logger, { flush }: LogDestination, clock: Clock): Announce {
  return (step, about) => {
    const startedAtMs = clock();
    const tell = (details: object, sentence: string) => {
      log.info(details, sentence);
      flush();
    };
    tell(about, step);
    return () => tell({ ...about, durationMs: clock() - startedAtMs }, `${step}: done`);
  };
}
