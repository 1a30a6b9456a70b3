/**
 * A deleted or replaced file accepts writes while it is open, which are lost with the process
 * (https://sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use).
 */
import { identityOf } from '../care/backup-file.ts';
import { IN_MEMORY, SAVE_IT_FIRST } from './connection.ts';
import { locate } from './database-files.ts';

/** Null while all is well; once a file is lost, a sentence about it at every call. */
export type FileWatch = () => string | null;

export const WITHOUT_FILES: FileWatch = () => null;

/** The database must have been read from, so that its log exists. */
export function watchFiles(path: string): FileWatch {
  if (path === IN_MEMORY) return WITHOUT_FILES;
  const place = locate(path);
  const opened = ['', '-wal', '-shm'].map((suffix) => {
    const file = `${place}${suffix}`;
    return { file, identity: identityOf(file) };
  });
  let loss: string | null = null;
  return () => {
    // Writes to a lost file are lost, even if the file comes back.
    const lost = loss === null && opened.find(({ file, identity }) => identityOf(file) !== identity);
    if (lost)
      loss = `${lost.file} is not the file that was opened: it was deleted, moved or replaced. ${SAVE_IT_FIRST}`;
    return loss;
  };
}
