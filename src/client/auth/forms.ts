/**
 * The state and the validation of both forms. It belongs to the screen and not to a tab, so that typed text outlives a
 * change of tab.
 */
import { type Resolver, type UseFormReturn, useForm } from 'react-hook-form';
import type { Credentials, Registration } from '#shared/accounts.ts';
import type { ServiceCategory } from '#shared/categories.ts';

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

/** The fields in the order in which they stand on the screen. */
export const LOGIN_FIELDS = ['email', 'password'] as const satisfies readonly (keyof LoginValues)[];
export const SIGN_UP_FIELDS = [
  'fullName',
  'username',
  'email',
  'phone',
  'password',
  'isServiceProvider',
  'serviceCategories',
] as const satisfies readonly (keyof SignUpValues)[];

export type LoginFormState = UseFormReturn<LoginValues, unknown, Credentials>;
export type SignUpFormState = UseFormReturn<SignUpValues, unknown, Registration>;

/** Fetches the rules by which both forms are validated; repeated calls fetch them once. */
export const loadRules = () => import('./rules.ts');

const resolveLogin: Resolver<LoginValues, unknown, Credentials> = async (values, context, options) =>
  (await loadRules()).resolveLogin(values, context, options);

const resolveSignUp: Resolver<SignUpValues, unknown, Registration> = async (values, context, options) =>
  (await loadRules()).resolveSignUp(values, context, options);

/** The form has no default values, because its fields may have been typed into before the script came. */
export function useLoginForm(): LoginFormState {
  return useForm({ resolver: resolveLogin });
}

export function useSignUpForm(): SignUpFormState {
  return useForm({
    resolver: resolveSignUp,
    defaultValues: {
      fullName: '',
      username: '',
      email: '',
      phone: '',
      password: '',
      isServiceProvider: false,
      serviceCategories: [],
    },
  });
}
