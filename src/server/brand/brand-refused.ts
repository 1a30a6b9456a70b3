/** Its message is one sentence that names the setting, and why it cannot be used. */
export class BrandRefused extends Error {
  override name = 'BrandRefused';
}
