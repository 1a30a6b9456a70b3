/** Writes the log to standard error, and announces the steps of a start. */
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Clock } from '#shared/calendar.ts';
import type { Announce } from './storage/port/database.ts';

/** What is kept for a full disk to take later; the lines of a turn that go beyond it are lost, and counted. */
const MAX_KEPT_BYTES = 4_000_000;

interface LogDestination extends DestinationStream {
  flush(): void;
}

/**
 * What a full disk or a closed terminal does not take is tried again with the next line, and never ends the process.
 * Once all that was kept is written, a line says how many were lost.
 */
export function openStandardError(fd = 2) {
  const stderr = pino.destination({ fd, sync: true, maxLength: MAX_KEPT_BYTES });
  const own = pino({ base: null }, stderr);
  let lostLines = 0;
  const tellLost = () => {
    const lines = lostLines;
    lostLines = 0;
    own.warn({ lines }, 'lines of the log were lost, because it could not be written');
  };
  stderr.on('error', () => {});
  stderr.on('drop', (text: string) => {
    if (lostLines === 0) stderr.once('drain', tellLost);
    lostLines += text.split('\n').length - 1;
    // What it has no room for has it try nothing; an empty text has it try what it keeps.
    stderr.write('');
  });
  return stderr;
}

/**
 * The lines of one turn of the event loop go into one write, because a write for each cost more than making the line
 * (measured). None is lost at the end, unless the process is killed.
 */
export function createLogDestination(): LogDestination {
  const stderr = openStandardError();
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

/** Logs a step of the start before it begins, because it may block the event loop for minutes. */
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
