/** A provider adds services here and stops offering them. A customer becomes a provider. */
import { useRef } from 'react';
import { useForm } from 'react-hook-form';
import { navigate } from 'wouter/use-browser-location';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS, SERVICE_CATEGORIES, type ServiceCategory } from '#shared/categories.ts';
import { failureOf } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { paymentMode } from '../../installation.ts';
import { dashboardTab } from '../../paths.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { ServicePicker } from '../../ui/later/service-picker.tsx';
import { useSending } from '../form.ts';
import { useQuestion } from '../question.ts';
import styles from './account-care.module.css';
import { resolveServices, useChangeProfile } from './profile-change.ts';

const FIELDS = ['serviceCategories'] as const;
const CHANGE_FAILED = 'Failed to change your services';

export function Services({ user }: { readonly user: User }) {
  return (
    <section className={[card.card, styles.part].join(' ')} aria-labelledby="services">
      {user.isServiceProvider ? <OwnServices user={user} /> : <BecomeProvider />}
    </section>
  );
}

function useServicesForm(send: (chosen: ServiceCategory[]) => Promise<void>) {
  const form = useForm<{ serviceCategories: ServiceCategory[] }>({
    resolver: resolveServices,
    defaultValues: { serviceCategories: [] },
    // The library cannot focus a box of a list.
    shouldFocusError: false,
  });
  const { isUnderWay, submit } = useSending(form, {
    fields: FIELDS,
    fallback: CHANGE_FAILED,
    send: ({ serviceCategories }) => send(serviceCategories),
    onInvalid: () => form.setFocus('serviceCategories'),
  });
  const { errors } = form.formState;
  return {
    isUnderWay,
    submit,
    reset: () => form.reset(),
    picker: {
      field: form.register('serviceCategories'),
      chosen: form.watch('serviceCategories'),
      error: errors.serviceCategories?.message ?? errors.root?.message,
    },
  };
}

function BecomeProvider() {
  const change = useChangeProfile();
  const { picker, isUnderWay, submit } = useServicesForm(async (serviceCategories) => {
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
        <Button type="submit" className={styles.action} aria-disabled={isUnderWay}>
          {isUnderWay ? 'One moment...' : 'Become a Service Provider'}
        </Button>
      </form>
    </>
  );
}

function OwnServices({ user: { serviceCategories: offered } }: { readonly user: User }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const change = useChangeProfile();
  const stopping = useAttempts();
  const { asked, ask, close } = useQuestion<ServiceCategory>(heading);
  const others = SERVICE_CATEGORIES.filter((category) => !offered.includes(category));
  const isOnly = offered.length === 1;

  async function stopOffering(category: ServiceCategory) {
    try {
      await change({ serviceCategories: offered.filter((other) => other !== category) });
      toastSuccess(`${CATEGORY_LABELS[category]} is retired`);
    } catch (error) {
      toastError(failureOf(error).detail ?? CHANGE_FAILED);
    }
    close();
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
                onClick={() => ask(category)}
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
          isStopping={stopping.isUnderWay}
          add={(added) => change({ serviceCategories: [...offered, ...added] })}
        />
      )}
      {asked !== null && (
        <Confirmation
          title={`Retire ${CATEGORY_LABELS[asked]}?`}
          confirm={stopping.isUnderWay ? 'Retiring...' : 'Retire'}
          isUnderWay={stopping.isUnderWay}
          onConfirm={() => void stopping.run(() => stopOffering(asked))}
          onCancel={close}
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
  /** None can be added while one is being taken away. */
  readonly isStopping: boolean;
  readonly add: (added: readonly ServiceCategory[]) => Promise<void>;
}

function AddServices({ others, isStopping, add }: AddServicesProps) {
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
