/**
 * Whether the files that are open are those that stand at their path. A file that was deleted or replaced can be written to for as
 * long as it is open, and all of that is gone with the process (https://sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use).
 */
import { statSync } from 'node:fs';
import { IN_MEMORY } from './connection.ts';
import { COMPANIONS, locate } from './database-files.ts';

/** Answers with what is wrong, in a sentence, from the first time on that it is; null while all is well. */
export type FileWatch = () => string | null;

/** Nothing can happen to a database without files. */
export const WITHOUT_FILES: FileWatch = () => null;

/** Watches the files of a database that is open and was read from, so that it has its log. */
export function watchFiles(path: string): FileWatch {
  if (path === IN_MEMORY) return WITHOUT_FILES;
  const place = locate(path);
  const opened = ['', ...COMPANIONS].map((suffix) => {
    const file = `${place}${suffix}`;
    return { file, identity: identityOf(file) };
  });
  let loss: string | null = null;
  return () => {
    // What was written meanwhile is lost for good: a file that comes back has to be opened anew.
    const lost = loss === null && opened.find(({ file, identity }) => identityOf(file) !== identity);
    if (lost)
      loss = `${lost.file} is not the file that was opened: it was deleted, moved or replaced. Nothing is saved until the server is restarted, which opens what is there then`;
    return loss;
  };
}

/** The device and the number of a file, which no other file has while it is open; null when there is none. */
function identityOf(file: string): string | null {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : null;
}
