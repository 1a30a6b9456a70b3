/** The services of a provider, which can be added and retired; a customer can become a provider here. */
import { type SubmitEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useForm } from 'react-hook-form';
import { navigate } from 'wouter/use-browser-location';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS, SERVICE_CATEGORIES, type ServiceCategory } from '#shared/categories.ts';
import { failureOf } from '../../api/api.ts';
import { type Attempts, useAttempts } from '../../controls/attempts.ts';
import { paymentMode } from '../../installation.ts';
import { dashboardTab } from '../../paths.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { showFailure } from '../../ui/later/failures.ts';
import { ServicePicker } from '../../ui/later/service-picker.tsx';
import styles from './account-care.module.css';
import { useChangeProfile } from './change-profile.ts';
import { resolveServices } from './profile-rules.ts';

const FIELDS = ['serviceCategories'] as const;
const CHANGE_FAILED = 'Failed to change your services';

export function Services({ user }: { readonly user: User }) {
  return (
    <section className={[card.card, styles.part].join(' ')} aria-labelledby="services">
      {user.isServiceProvider ? <OwnServices user={user} /> : <BecomeProvider />}
    </section>
  );
}

/** The state of a form in which services are chosen, and how it is sent. */
function useServicesForm(send: (chosen: ServiceCategory[]) => Promise<void>) {
  const form = useForm<{ serviceCategories: ServiceCategory[] }>({
    resolver: resolveServices,
    defaultValues: { serviceCategories: [] },
    // The library cannot focus a box of a list.
    shouldFocusError: false,
  });
  const attempts = useAttempts();
  const { errors } = form.formState;
  return {
    attempts,
    reset: () => form.reset(),
    picker: {
      field: form.register('serviceCategories'),
      chosen: form.watch('serviceCategories'),
      error: errors.serviceCategories?.message ?? errors.root?.message,
    },
    submit(event: SubmitEvent) {
      event.preventDefault();
      void attempts.run(async () => {
        try {
          const submit = form.handleSubmit(
            ({ serviceCategories }) => send(serviceCategories),
            () => form.setFocus('serviceCategories'),
          );
          await submit(event);
        } catch (error) {
          showFailure(form, FIELDS, error, CHANGE_FAILED);
        }
      });
    },
  };
}

function BecomeProvider() {
  const change = useChangeProfile();
  const { picker, attempts, submit } = useServicesForm(async (serviceCategories) => {
    await change({ isServiceProvider: true, serviceCategories });
    navigate(dashboardTab('qr-codes'));
    toastSuccess(
      paymentMode() === 'simulated'
        ? 'You can receive tips now. Create your first QR code.'
        : 'You are a service provider now. Set up how you get paid.',
    );
  });
  return (
    <>
      <h2 className={styles.heading} id="services">
        Start earning tips
      </h2>
      <p>
        Become a service provider: you get a QR code for each service, and people tip you by it. Your account
        stays as it is, and you can still give tips. It cannot be turned back into a customer's.
      </p>
      <form className={styles.part} method="dialog" noValidate onSubmit={submit}>
        <ServicePicker legend="Select all services you provide:" {...picker} />
        <Button type="submit" className={styles.action} aria-disabled={attempts.isUnderWay}>
          {attempts.isUnderWay ? 'One moment...' : 'Become a Service Provider'}
        </Button>
      </form>
    </>
  );
}

function OwnServices({ user: { serviceCategories: offered } }: { readonly user: User }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const change = useChangeProfile();
  const retiring = useAttempts();
  const [asked, setAsked] = useState<ServiceCategory | null>(null);
  const others = SERVICE_CATEGORIES.filter((category) => !offered.includes(category));
  const isOnly = offered.length === 1;

  async function retire(category: ServiceCategory) {
    try {
      await change({ serviceCategories: offered.filter((other) => other !== category) });
      toastSuccess(`${CATEGORY_LABELS[category]} is retired`);
    } catch (error) {
      toastError(failureOf(error).detail ?? CHANGE_FAILED);
    }
    // Nothing behind an open dialog takes the focus.
    flushSync(() => setAsked(null));
    // The pressed button is gone with its service.
    if (document.activeElement === document.body) heading.current?.focus();
  }

  return (
    <>
      <h2 className={styles.heading} id="services" ref={heading} tabIndex={-1}>
        Your services
      </h2>
      <ul className={styles.sessions}>
        {offered.map((category) => (
          <li key={category} className={styles.session}>
            <strong>{CATEGORY_LABELS[category]}</strong>
            {!isOnly && (
              <Button
                look="quiet"
                aria-label={`Retire ${CATEGORY_LABELS[category]}`}
                onClick={() => setAsked(category)}
              >
                Retire
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isOnly && (
        <p className={styles.since}>
          It cannot be retired, because a service provider has at least one. Add another service first.
        </p>
      )}
      {others.length > 0 && (
        <AddServices
          others={others}
          retiring={retiring}
          add={(added) => change({ serviceCategories: [...offered, ...added] })}
        />
      )}
      {asked !== null && (
        <Confirmation
          title={`Retire ${CATEGORY_LABELS[asked]}?`}
          confirm={retiring.isUnderWay ? 'Retiring...' : 'Retire'}
          isUnderWay={retiring.isUnderWay}
          onConfirm={() => void retiring.run(() => retire(asked))}
          onCancel={() => setAsked(null)}
        >
          <p>
            Its QR code is retired with it, for good: whoever scans the print reads that it is no longer in
            use. Your transactions stay. You can add the service again later, with a new code.
          </p>
        </Confirmation>
      )}
    </>
  );
}

interface AddServicesProps {
  readonly others: readonly ServiceCategory[];
  readonly retiring: Attempts;
  readonly add: (added: readonly ServiceCategory[]) => Promise<void>;
}

function AddServices({ others, retiring, add }: AddServicesProps) {
  const { picker, attempts, submit, reset } = useServicesForm(async (added) => {
    await add(added);
    reset();
    toastSuccess(added.length === 1 ? 'Service added' : 'Services added');
  });
  return (
    <details className={styles.more}>
      <summary>Add a service</summary>
      <form className={styles.part} method="dialog" noValidate onSubmit={submit}>
        <ServicePicker legend="Select what you provide as well:" services={others} {...picker} />
        <Button
          type="submit"
          className={styles.action}
          aria-disabled={attempts.isUnderWay || retiring.isUnderWay}
        >
          {attempts.isUnderWay ? 'Adding...' : 'Add'}
        </Button>
      </form>
    </details>
  );
}
