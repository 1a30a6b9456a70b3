/** Where the log goes: standard error. */
import { type DestinationStream, pino } from 'pino';

export interface LogDestination extends DestinationStream {
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
