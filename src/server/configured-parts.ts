/** The parts of the server that are loaded only where they are configured, because of their packages. */
import type { Logger } from 'pino';
import { type Config, ConfigError } from './config.ts';
import type { Relay } from './mail/relay.ts';
import type { PaymentService } from './payments/payment-service.ts';
import type { Storage } from './storage/port/storage.ts';

/** Null where payments are simulated. */
export async function openPaymentService({ stripe }: Config, log: Logger): Promise<PaymentService | null> {
  if (!stripe) return null;
  const { createStripe } = await import('./payments/stripe/stripe.ts');
  return createStripe(stripe, Date.now, (refusal) => log.warn(refusal, 'Stripe has refused a call'));
}

/**
 * A tip being paid at Stripe and simulated here would be recorded twice.
 * @throws ConfigError where payments were taken and the keys are gone.
 */
export async function requireKeys(
  { stripe, simulatesPayments }: Config,
  { payments }: Pick<Storage, 'payments'>,
): Promise<void> {
  if (stripe || simulatesPayments || !(await payments.hasAny())) return;
  throw new ConfigError(
    'payments were taken with this database, and STRIPE_SECRET_KEY is not set. ' +
      'Set it, or PAYMENTS=simulated where no more tips shall be paid.',
  );
}

/** Null where nobody asks for metrics. */
export async function openMetrics({ metrics }: Config) {
  return metrics && (await import('./metrics/metrics.ts')).createMetrics(Date.now);
}

/** Null where the installation sends no mail. */
export async function openMailRelay({ mail }: Config): Promise<Relay | null> {
  return mail && (await import('./mail/smtp-relay.ts')).createSmtpRelay(mail);
}
