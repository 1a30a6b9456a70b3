/** The export of an account to a file, for an operator who is asked for data by its owner or by the law. */
import { writeFile } from 'node:fs/promises';
import { pino } from 'pino';
import { exportAccount } from './api/procedures/account-export.ts';
import { createServices, type ServiceDependencies } from './app-services.ts';
import { createPasswords } from './auth/passwords.ts';
import { NO_BRAND } from './brand/own-brand.ts';
import { createDrawing } from './print/drawing.ts';
import { writeWhole } from './storage/care/backup-file.ts';
import { readSecrets } from './storage/port/secrets.ts';
import type { Account } from './storage/port/storage.ts';
import { NO_BLOCKED_WORDS } from './tips/blocked-words.ts';
import { createTroubles } from './troubles.ts';

/**
 * @param path of a file that there is not yet, and which is there only when it is complete.
 * @param noteBegun is called once anything can be written there, and before it is.
 * @throws DatabaseRefused when the name is taken; else the error of the file system.
 */
export function exportToFile(
  given: Pick<ServiceDependencies, 'config' | 'storage' | 'clock' | 'random'>,
  account: Account,
  path: string,
  noteBegun: () => Promise<void>,
): Promise<void> {
  async function* pieces() {
    await noteBegun();
    for await (const piece of piecesOf(given, account))
      if ('base64' in piece) yield Buffer.from(piece.base64, 'base64');
  }
  return writeWhole(path, (unfinished) => writeFile(unfinished, pieces()));
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
    own: NO_BRAND,
    troubles: createTroubles(clock),
  });
  // The amounts in the files are of the present currency.
  await services.tipTerms.tick();
  const owner = { origin: '', account: account.id, isKnown: true };
  yield* exportAccount({ owner, services, account, token: null, timeZone: 'UTC' });
}
