/** A provider adds services here and stops offering them. A customer becomes a provider. */
import { useRef } from 'react';
import { flushSync } from 'react-dom';
import { useForm } from 'react-hook-form';
import { navigate } from 'wouter/use-browser-location';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS, SERVICE_CATEGORIES, type ServiceCategory } from '#shared/categories.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { paymentMode } from '../../installation.ts';
import { dashboardTab } from '../../later/addresses.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { ServicePicker } from '../../ui/later/service-picker.tsx';
import { useSending } from '../form.ts';
import { focusIfLost, useQuestion } from '../question.ts';
import styles from './account-care.module.css';
import { DayEnd } from './day-end.tsx';
import { resolveServices, useChangeServices } from './profile-change.ts';

const FIELDS = ['serviceCategories'] as const;
const NO_ANSWER = unanswered('your services were changed');

export function Services({ user }: { readonly user: User }) {
  return user.isServiceProvider ? <OwnServices user={user} /> : <BecomeProvider />;
}

function useServicesForm(send: (chosen: ServiceCategory[]) => Promise<void>) {
  const form = useForm<{ serviceCategories: ServiceCategory[] }>({
    resolver: resolveServices,
    defaultValues: { serviceCategories: [] },
    // The library cannot focus a box of a list.
    shouldFocusError: false,
  });
  const { register, isUnderWay, submit } = useSending(form, {
    fields: FIELDS,
    fallback: NO_ANSWER,
    send: ({ serviceCategories }) => send(serviceCategories),
    onInvalid: () => form.setFocus('serviceCategories'),
  });
  const { errors } = form.formState;
  return {
    isUnderWay,
    submit,
    reset: () => form.reset(),
    picker: {
      field: register('serviceCategories'),
      chosen: form.watch('serviceCategories'),
      error: errors.serviceCategories?.message ?? errors.root?.message,
    },
  };
}

function useAddServices(): (added: readonly ServiceCategory[]) => Promise<void> {
  const change = useChangeServices();
  return (added) => change((present) => [...new Set([...present, ...added])]);
}

function BecomeProvider() {
  const add = useAddServices();
  const { picker, isUnderWay, submit } = useServicesForm(async (chosen) => {
    await add(chosen);
    flushSync(() => navigate(dashboardTab('qr-codes')));
    // The pressed button is gone.
    focusIfLost(document.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]'));
    toastSuccess(
      paymentMode() === 'simulated'
        ? 'You can receive tips now. Create your first QR code.'
        : 'You are a service provider now. Set up how you get paid.',
    );
  });
  return (
    <div className={styles.part}>
      <p>
        Become a service provider: you get a QR code for each service, and people scan it to tip you. You can
        still give tips. There is no way back to a customer account.
      </p>
      <form className={styles.part} method="dialog" noValidate onSubmit={submit}>
        <ServicePicker legend="Select all services you provide:" {...picker} />
        <Button type="submit" className={styles.action} aria-disabled={isUnderWay}>
          {isUnderWay ? 'One moment...' : 'Become a Service Provider'}
        </Button>
      </form>
    </div>
  );
}

function OwnServices({ user }: { readonly user: User }) {
  const { serviceCategories: offered } = user;
  const list = useRef<HTMLUListElement>(null);
  const change = useChangeServices();
  const stopping = useAttempts();
  const { asked, ask, close } = useQuestion<ServiceCategory>(list);
  const others = SERVICE_CATEGORIES.filter((category) => !offered.includes(category));
  const isOnly = offered.length === 1;

  async function stopOffering(category: ServiceCategory) {
    try {
      await change((present) => present.filter((other) => other !== category));
      toastSuccess(`You no longer offer ${CATEGORY_LABELS[category]}`);
    } catch (error) {
      toastError(failureOf(error).detail ?? NO_ANSWER);
    }
    close();
  }

  return (
    <div className={styles.part}>
      <ul className={styles.sessions} aria-label="Your services" ref={list} tabIndex={-1}>
        {offered.map((category) => (
          <li key={category} className={styles.session}>
            <strong>{CATEGORY_LABELS[category]}</strong>
            {!isOnly && (
              <Button
                look="quiet"
                aria-label={`Stop offering ${CATEGORY_LABELS[category]}`}
                onClick={() => ask(category)}
              >
                Stop Offering
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isOnly && (
        <p className={styles.since}>
          You need at least one service. To stop offering this one, add another first.
        </p>
      )}
      {others.length > 0 && <AddServices others={others} isStopping={stopping.isUnderWay} />}
      <DayEnd user={user} />
      {asked !== null && (
        <Confirmation
          title={`Stop offering ${CATEGORY_LABELS[asked]}?`}
          confirm={stopping.isUnderWay ? 'One moment...' : 'Stop Offering'}
          isUnderWay={stopping.isUnderWay}
          onConfirm={() => void stopping.run(() => stopOffering(asked))}
          onCancel={close}
        >
          <p>
            Its QR code stops working for good, also where you have printed it. Your transactions stay. You
            can offer the service again later, with a new code.
          </p>
        </Confirmation>
      )}
    </div>
  );
}

interface AddServicesProps {
  readonly others: readonly ServiceCategory[];
  readonly isStopping: boolean;
}

function AddServices({ others, isStopping }: AddServicesProps) {
  const add = useAddServices();
  const { picker, isUnderWay, submit, reset } = useServicesForm(async (added) => {
    await add(added);
    reset();
    toastSuccess(added.length === 1 ? 'Service added' : 'Services added');
  });
  return (
    <details className={styles.more}>
      <summary>Add a service</summary>
      <form className={styles.part} method="dialog" noValidate onSubmit={submit}>
        <ServicePicker legend="Select what you provide as well:" services={others} {...picker} />
        <Button type="submit" className={styles.action} aria-disabled={isUnderWay || isStopping}>
          {isUnderWay ? 'Adding...' : 'Add'}
        </Button>
      </form>
    </details>
  );
}
