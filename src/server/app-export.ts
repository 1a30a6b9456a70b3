/** The export of an account to a file, for an operator who is asked for data by its owner or by the law. */
import { open, rm } from 'node:fs/promises';
import { pino } from 'pino';
import { createTroubles } from './api/http/probes.ts';
import { exportAccount } from './api/procedures/account-export.ts';
import { createServices, type ServiceDependencies } from './app-services.ts';
import { createPasswords } from './auth/passwords.ts';
import { createDrawing } from './print/drawing.ts';
import { readSecrets } from './storage/port/secrets.ts';
import type { Account } from './storage/port/storage.ts';
import { NO_BLOCKED_WORDS } from './tips/blocked-words.ts';

/** A file that only its owner may read, because it holds everything about somebody. */
const FILE_MODE = 0o600;

/**
 * @param path of a file that there is not yet. A part of an archive is removed again.
 * @param noteBegun is called once the file is there, before anything is written to it.
 * @throws the error of the file system, such as EEXIST.
 */
export async function exportToFile(
  given: Pick<ServiceDependencies, 'config' | 'storage' | 'clock' | 'random'>,
  account: Account,
  path: string,
  noteBegun: () => Promise<void>,
): Promise<void> {
  const file = await open(path, 'wx', FILE_MODE);
  try {
    await noteBegun();
    // A single write may take only a part, as on a disk that is nearly full.
    for await (const piece of piecesOf(given, account))
      if ('base64' in piece) await file.writeFile(Buffer.from(piece.base64, 'base64'));
    await file.sync();
  } catch (error) {
    await rm(path);
    throw error;
  } finally {
    await file.close();
  }
}

async function* piecesOf(given: Parameters<typeof exportToFile>[0], account: Account) {
  const { storage, clock, random } = given;
  const services = createServices({
    ...given,
    secrets: await readSecrets(storage, random),
    passwords: await createPasswords(),
    log: pino({ level: 'silent' }),
    paymentService: null,
    mailRelay: null,
    blockedWords: NO_BLOCKED_WORDS,
    drawing: createDrawing({ onTrouble: () => {} }),
    troubles: createTroubles(clock),
  });
  // The amounts in the files are of the present currency.
  await services.tipTerms.tick();
  const owner = { origin: '', account: account.id, isKnown: true };
  yield* exportAccount({ owner, services, account, token: null, timeZone: 'UTC' });
}
