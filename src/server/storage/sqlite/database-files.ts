/** Places and modes of a database's files. Personal data is for the process's user alone; Windows has no such modes. */
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { FILE_MODE, identityOf } from '../care/backup-file.ts';
import { DatabaseRefused } from '../port/database.ts';

const FOLDER_MODE = 0o700;
const OTHERS = 0o077;

const OWN_FOLDER = 'data';

/** Linux follows as many symbolic links. */
const MAX_LINKS = 40;

/** What SQLite would take for a part of whatever database has the name. */
export const COMPANIONS = ['-wal', '-shm', '-journal'] as const;
export const ALL_FILES = ['', ...COMPANIONS] as const;
/** Suffixes of all files of a database, the empty one included. */
const BELONGING = /^(?:\.lock|(?:\.incoming|\.before-restore(?:-\d+)?)?(?:-wal|-shm|-journal)?)$/;

/** Suffixes of the names under which a restore keeps what was there before. */
const KEPT_ASIDE = /^\.before-restore(?:-\d+)?$/;

/** Suffixes of the names that SQLite, the lock or a restore writes over or removes beside a database. */
const WRITTEN_OVER = /^(?:\.lock|\.incoming|(?:\.incoming|\.before-restore(?:-\d+)?)?-(?:wal|shm|journal))$/;

/** @throws DatabaseRefused when what a person keeps in `file` would not last beside the database at `path`. */
export function requireLasting(path: string, file: string): void {
  const place = locate(path);
  const kept = locate(file);
  if (kept.startsWith(place) && WRITTEN_OVER.test(kept.slice(place.length)))
    throw new DatabaseRefused(`Files named ${kept} are written over beside the database: use another name.`);
}

/** The path without symbolic links, also of a missing file. The log and all other files lie beside that path. */
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

/** A hard link would hide the log and the lock from a second opener. */
export function hasOtherNames(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.nlink > 1;
}

/** The second name that a restore gave the database to keep it aside, and that was broken off since; null without one. */
export function asideOfUnfinishedRestore(place: string): string | null {
  if (!hasOtherNames(place)) return null;
  const folder = dirname(place);
  const isSecondName = (aside: string) =>
    aside.startsWith(place) &&
    KEPT_ASIDE.test(aside.slice(place.length)) &&
    identityOf(aside) === identityOf(place);
  return (namesIn(folder) ?? []).map((name) => join(folder, name)).find(isSecondName) ?? null;
}

/** Where a restore makes the database that takes the place of the present one. */
export const incomingBeside = (place: string) => `${place}.incoming`;

/** Undoes a restore that was broken off. Requires the lock, without which another process might be restoring. */
export function undoUnfinishedRestore(place: string): void {
  removeDatabase(incomingBeside(place));
  const aside = asideOfUnfinishedRestore(place);
  if (aside === null) return;
  bringBack(aside, place, COMPANIONS);
  removeDatabase(aside);
}

/**
 * Brings files that were kept aside back, in the place of a log that a reader has begun meanwhile. The log comes before
 * its database, which lacks the newest tips without it.
 */
export function bringBack(aside: string, place: string, suffixes: readonly string[] = ALL_FILES): void {
  for (const suffix of suffixes.toReversed())
    if (existsSync(`${aside}${suffix}`)) renameSync(`${aside}${suffix}`, `${place}${suffix}`);
}

/** Creates missing folders privately; existing ones stay as they are. */
export function makeFolderOf(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
}

/** Makes an empty file for this user alone, before anything is written to it. A present one stays. */
export function makeFile(path: string): void {
  closeSync(openSync(path, 'a', FILE_MODE));
}

/** Closes files that an earlier version left open. Another folder than the default may hold other programs' files. */
export function tighten(path: string): void {
  const folder = dirname(path);
  const name = basename(path);
  if (folder === resolve(OWN_FOLDER)) closeToOthers(folder, FOLDER_MODE);
  for (const other of namesIn(folder) ?? [name]) {
    const isOurs = other.startsWith(name) && BELONGING.test(other.slice(name.length));
    if (isOurs) closeToOthers(join(folder, other), FILE_MODE);
  }
}

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
    // A file of another user, or on a read-only disk, can be used all the same; its owner has to close it.
  }
}

/** What root makes beside a database is for the user of the service, whose the present file is, or else the folder. */
export function giveToOwner(place: string, files: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(existsSync(place) ? place : dirname(place));
  if (uid === 0) return;
  try {
    for (const file of files) chownSync(file, uid, gid);
  } catch {
    // In some containers root may not; a start then says to whom the file has to be given.
  }
}

function removeDatabase(path: string): void {
  for (const suffix of ALL_FILES) rmSync(`${path}${suffix}`, { force: true });
}
