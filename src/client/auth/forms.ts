/** State and validation of both forms. They belong to the screen, so that typed text survives a change of tab. */
import { type Resolver, type UseFormReturn, useForm } from 'react-hook-form';
import type { Credentials, Login, Registration } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { api } from '../api-client/api.ts';
import { noteClosedAccount } from '../session/closed-account.ts';
import { beginSession } from '../session/session.ts';
import { toastSuccess } from '../toasts.ts';

export interface LoginValues {
  email: string;
  password: string;
}

export interface SignUpValues {
  fullName: string;
  username: string;
  email: string;
  phone: string;
  password: string;
  isServiceProvider: boolean;
  serviceCategories: ServiceCategory[];
}

/** In the order of the screen. */
export const LOGIN_FIELDS: readonly (keyof LoginValues)[] = ['email', 'password'];

const PERSON_FIELDS: readonly (keyof SignUpValues)[] = ['fullName', 'username', 'email', 'phone', 'password'];
const PROVIDER_FIELDS: readonly (keyof SignUpValues)[] = ['isServiceProvider', 'serviceCategories'];

/** In the order of the screen. @param isForGiver is true for people from a tip page, who are rarely providers. */
export function signUpFields(isForGiver: boolean): readonly (keyof SignUpValues)[] {
  return isForGiver ? [...PERSON_FIELDS, ...PROVIDER_FIELDS] : [...PROVIDER_FIELDS, ...PERSON_FIELDS];
}

export type LoginFormState = UseFormReturn<LoginValues, unknown, Credentials>;
export type SignUpFormState = UseFormReturn<SignUpValues, unknown, Registration>;

/** Null where a new version has replaced them, or without a connection. The server keeps the same rules. */
export const loadRulesIfPossible = () => import('./rules.ts').catch(() => null);

const resolveLogin: Resolver<LoginValues, unknown, Credentials> = async (values, context, options) =>
  (await loadRulesIfPossible())?.resolveLogin(values, context, options) ?? { values, errors: {} };

const resolveSignUp: Resolver<SignUpValues, unknown, Registration> = async (values, context, options) =>
  (await loadRulesIfPossible())?.resolveSignUp(values, context, options) ?? { values, errors: {} };

/** The fields have no default values, because people may fill them in before the script loads. */
export function useLoginForm(): LoginFormState {
  return useForm({ resolver: resolveLogin });
}

export function useSignUpForm(): SignUpFormState {
  return useForm({
    resolver: resolveSignUp,
    // The server renders no boxes of services, so that nobody can choose one before the script loads.
    defaultValues: { serviceCategories: [] },
    // The library would focus the field that was registered first, and services are not registered.
    shouldFocusError: false,
  });
}

export const ACCOUNT = 'account';

export const LOGIN_FAILED = 'Login failed. Please try again.';

/** @throws the error of the call. */
export async function enter(credentials: Credentials): Promise<void> {
  welcome(await api.auth.login.mutate(credentials));
}

export function welcome({ accessToken, user, reopened }: Login): void {
  beginSession(accessToken, user);
  noteClosedAccount(null);
  const greeting = reopened
    ? 'Welcome back. Your account stays open.'
    : `Welcome to ${brand.name}, ${user.fullName}!`;
  toastSuccess(greeting, ACCOUNT);
}
