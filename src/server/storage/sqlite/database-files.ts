/**
 * Where a database file and what belongs to it lie, and for whom: people's data is for the user alone whose process keeps it,
 * whatever that process was started with. On Windows, whose files know no such modes, nothing is changed.
 */
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { FILE_MODE } from '../care/backup-file.ts';

const FOLDER_MODE = 0o700;
const OTHERS = 0o077;

/** The default folder of the database, which is this product's alone, whoever made it. */
const OWN_FOLDER = 'data';

/** As many symbolic links as Linux follows. */
const MAX_LINKS = 40;

/** The suffixes of the files that SQLite keeps beside a database. */
export const COMPANIONS = ['-wal', '-shm'] as const;
/** The suffixes of all files that belong to a database, the empty one of the database included. */
const BELONGING = /^(?:\.lock|(?:\.incoming|\.before-restore(?:-\d+)?)?(?:-wal|-shm)?)$/;

/**
 * The path of a file without symbolic links, also when the file does not exist yet. SQLite keeps its log beside that path, and
 * so do all other files that belong to a database.
 */
export function locate(path: string): string {
  let place = resolve(path);
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const folder = locateFolder(dirname(place));
    place = join(folder, basename(place));
    if (!lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) break;
    place = resolve(folder, readlinkSync(place));
  }
  return place;
}

function locateFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const above = dirname(folder);
    return above === folder ? folder : join(locateFolder(above), basename(folder));
  }
}

/** Whether a file has a second name (a hard link), under which its log and its lock would not be found. */
export function hasOtherNames(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.nlink > 1;
}

/** Makes the folder of a database, and those above it, for this user alone. Folders that are there stay as they are. */
export function makeFolderOf(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
}

/** Makes an empty file for this user alone, before anything is written to it. A file that is there stays as it is. */
export function makeFile(path: string): void {
  closeSync(openSync(path, 'a', FILE_MODE));
}

/**
 * Takes from everybody else what they may do with a database and the files that belong to it, such as an earlier version left
 * them. Its folder is closed only if it is the default one: any other may hold what is not ours.
 */
export function tighten(path: string): void {
  const folder = dirname(path);
  const name = basename(path);
  if (folder === resolve(OWN_FOLDER)) closeToOthers(folder, FOLDER_MODE);
  for (const other of namesIn(folder) ?? [name]) {
    const isOurs = other.startsWith(name) && BELONGING.test(other.slice(name.length));
    if (isOurs) closeToOthers(join(folder, other), FILE_MODE);
  }
}

/** The names in a folder; null where they may not be read. */
function namesIn(folder: string): readonly string[] | null {
  try {
    return readdirSync(folder);
  } catch {
    return null;
  }
}

function closeToOthers(path: string, mode: number): void {
  try {
    const stat = lstatSync(path);
    const isMeant = mode === FOLDER_MODE ? stat.isDirectory() : stat.isFile();
    if (isMeant && (stat.mode & OTHERS) !== 0) chmodSync(path, mode);
  } catch {
    // The file of another user, or on a disk that cannot be written: whoever may change it must. It can be used all the same.
  }
}

export function removeDatabase(path: string): void {
  for (const suffix of ['', ...COMPANIONS]) rmSync(`${path}${suffix}`, { force: true });
}
