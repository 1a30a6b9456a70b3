/** Writes the log to standard error, and announces the steps of a start. */
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Clock } from '#shared/calendar.ts';
import type { Announce } from './storage/port/database.ts';

/** What is kept for a full disk to take later; the lines of a turn that go beyond it are lost, and counted. */
const MAX_KEPT_BYTES = 4_000_000;
const RETRY_DELAY_MS = 250;
/** Tries at the end of the process, each after 100 ms, to hand over what is kept. */
const LAST_TRIES = 20;

interface LogDestination extends DestinationStream {
  flush(): void;
}

/**
 * What a full disk, a reader that stalls or a closed terminal does not take is tried again by and by, and never blocks
 * or ends the process. Once all that was kept is written, a line says how many were lost.
 * @param fd in the place of standard error, of which Node.js makes a pipe non-blocking when its stream is asked for.
 */
export function openStandardError(fd: number = process.stderr.fd) {
  let lastTries = 0;
  // The writer sleeps before it tries again, which only the end of the process may wait for.
  const retryEAGAIN = () => lastTries-- > 0;
  const stderr = pino.destination({ fd, sync: true, maxLength: MAX_KEPT_BYTES, retryEAGAIN });
  const own = pino({ base: null }, stderr);
  let isTaken = true;
  const tryKept = () => {
    isTaken = true;
    // An empty text has it try what it keeps.
    stderr.write('');
    return isTaken;
  };
  let isToRetry = false;
  let lostLines = 0;
  const tellLost = () => {
    // What drained may have been what was written earlier in the same turn.
    if (!tryKept()) {
      stderr.once('drain', tellLost);
      return;
    }
    const lines = lostLines;
    lostLines = 0;
    own.warn({ lines }, 'lines of the log were lost, because it could not be written');
  };
  stderr.on('error', () => {
    isTaken = false;
    if (isToRetry) return;
    isToRetry = true;
    setTimeout(() => {
      isToRetry = false;
      tryKept();
    }, RETRY_DELAY_MS).unref();
  });
  stderr.on('drop', (text: string) => {
    if (lostLines === 0) stderr.once('drain', tellLost);
    lostLines += text.split('\n').length - 1;
    // What it has no room for has it try nothing.
    tryKept();
  });
  process.once('exit', () => {
    lastTries = LAST_TRIES;
    tryKept();
  });
  return stderr;
}

/**
 * The lines of one turn of the event loop go into one write, because a write for each cost more than making the line
 * (measured). None is lost at the end, unless the process is killed or nobody reads.
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
