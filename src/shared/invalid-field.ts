import { AppError } from './errors.ts';

/** The refusal of one field of the input. */
export function invalidField(field: string, message: string): AppError {
  return new AppError('invalid_input', { fieldErrors: [{ field, message }] });
}
