/** The chapters that only operators use: what they find and do about accounts, tips, codes and fees. */
import { brand } from '#shared/brand.ts';
import { isoTime } from '#shared/calendar.ts';
import type { InstallationSettings } from '#shared/console/installation.ts';
import type { Services } from './api/procedures/context.ts';
import type { AppDependencies } from './app-dependencies.ts';
import { createAccountSupport } from './auth/account-support.ts';
import { createPasswordLinks } from './auth/password-links.ts';
import { createSuspending } from './auth/suspending.ts';
import type { OwnBrand } from './brand/own-brand.ts';
import type { Config } from './config.ts';
import { createDrafts, NO_DRAFTS } from './mail/drafts.ts';
import { createPeople } from './people/people.ts';
import { createCodeSupport } from './qr-codes/code-support.ts';
import { createStepQueue } from './queue/step-queue.ts';
import { createFeeIncome } from './tips/fee-income.ts';
import { createGuestReceipts } from './tips/guest-receipts.ts';
import { createTipSupport } from './tips/tip-support.ts';

export function createSupport(
  { storage, secrets, passwords, clock, random, config, mailRelay, own }: AppDependencies,
  { payments, disputeDeadlines: deadlines, tipTerms, sessions, factors }: Services,
) {
  const { publicUrl } = config;
  const terms = tipTerms.now;
  const receipts = createGuestReceipts(secrets.giver_pseudonym);
  const draft = mailRelay ? createDrafts(clock, random) : NO_DRAFTS;
  return {
    accountSupport: createAccountSupport({ storage, sessions, passwords, clock, random, draft }),
    tipSupport: createTipSupport({ storage, payments, receipts, deadlines, clock, terms }),
    codeSupport: createCodeSupport({ storage, clock, publicUrl }),
    feeIncome: createFeeIncome({ storage, clock, queue: createStepQueue(1), terms }),
    people: createPeople({ storage, clock, factorsOf: (id) => factors.list({ kind: 'account', id }) }),
    suspending: createSuspending({ storage, sessions, clock, draft }),
    settings: installationSettings(config, own),
    passwordLinks: createPasswordLinks({ storage, clock, random, publicUrl, draft }),
  };
}

function installationSettings(config: Config, own: OwnBrand): InstallationSettings {
  const { publicUrl, stripe, registration, maintenance, brandColour, brandFolder } = config;
  const until = maintenance?.untilMs ?? null;
  return {
    publicUrl,
    isPaidByStripe: stripe !== null,
    registration,
    maintenance: maintenance && { until: isoTime(until) },
    brand: {
      name: brand.name,
      sentence: brand.tagline,
      colour: brandColour,
      mended: own.accent?.mended ?? [],
      logo: own.logo?.mark.path ?? null,
      folder: brandFolder,
      pages: own.pages.map(({ label, path }) => ({ label, path })),
    },
  };
}
