/** What each field of the wire means, in the words of the API description. */

/** By the field's name on the wire; `Schema.field` where schemas differ. */
export const FIELD_NOTES: Readonly<Record<string, string>> = {
  access_token: 'Opaque; send it as `Authorization: Bearer ...`.',
  amount: 'The tip in US dollars, from 10 to 10,000, with at most two decimals.',
  created_at: 'ISO 8601 in UTC.',
  'Credentials.password': 'The password, as it was chosen.',
  current_password: 'The present password.',
  'ProfileChange.current_password': 'The present password; needed where the email changes.',
  'ProfileChange.is_service_provider': 'True makes a provider of a customer; there is no way back.',
  'ProfileChange.service_categories': 'All the services that you provide from now on; at least one.',
  device: 'What the session was begun with; null when the client did not say.',
  display_name: 'Who receives the tips, as givers see it; null for the full name. Up to 60 characters.',
  email: 'Unique, whatever its case.',
  expires_at: 'When the session ends unless it is used before, ISO 8601 in UTC.',
  full_name:
    '1 to 60 characters once they are composed (NFC): a letter, a digit or an emoji, and nothing that hides.',
  giver_fee: 'What the giver paid on top, in US dollars: 5 % of the amount.',
  giver_id:
    'Who tipped: to the giver their own id; to the receiver a pseudonym that stays the same for this giver and says nothing to anybody else.',
  greeting: 'A sentence for givers, of up to 140 characters; null without one.',
  id: 'Never changes and is never used again.',
  image_base64: 'The picture: a PNG in bare base64, without a `data:` prefix.',
  is_current: 'Whether it is the session that asks.',
  is_service_provider: 'Whether the user receives tips.',
  must_change_password:
    'Whether the operator made the present password: until it is changed, everything but that, `me` and logging out is refused with `password_change_required`.',
  net_amount: 'What reached the provider, in US dollars: 97 % of the amount.',
  new_password:
    '8 to 256 characters once they are composed (NFKC); not a common one, not your email, not your username.',
  password:
    '8 to 256 characters once they are composed (NFKC); not a common one, not the email, not the username.',
  phone: 'Optional; 7 to 20 digits with the usual punctuation.',
  photo_url: 'Where the photo of the tip page lies on this server, in JPEG; null without one.',
  qr_code: 'The code that was looked up.',
  qr_code_id: 'The code that was tipped.',
  receiver_id: 'Who was tipped.',
  receiver_name: 'The full name of whoever was tipped.',
  receiver_qr_id: 'The code of the provider, as scanned or typed.',
  receiver_username: 'The username of whoever was tipped.',
  service_categories: 'The services that a provider offers; at least one. Ignored for customers.',
  service_category: 'The service; for a tip it is that of the code.',
  service_provider: 'Whom the code tips.',
  status: 'What became of the payment.',
  'QrCode.status':
    'Whether tips are taken: not by a paused code, and never again by one that was replaced or retired.',
  'QrCodeLookup.status': 'Whether tips are taken: not by a paused code.',
  'TipPageChange.status': '`paused` takes no tips until the code is `active` again.',
  token_type: 'Always `bearer`.',
  total_tips_given: 'The sum of the tips given, without fees, in US dollars.',
  received_today_count: 'How many tips were received on the present day.',
  received_today: 'What reached the receiver of them, in US dollars.',
  total_tips_received: 'The sum of the net amounts received, in US dollars.',
  url: 'The address that the picture carries: the tip page of the code.',
  user: 'The user who logged in.',
  user_id: 'Whose code it is.',
  username:
    '3 to 30 of a-z, 0-9, dot, hyphen and underscore; starts and ends with a letter or digit; none that would pass for the site itself; never changes hands.',
};
