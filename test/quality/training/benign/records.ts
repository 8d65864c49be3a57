// Tool results: records of mails, calendars, payments, bookings, files and channels, as YAML, JSON and lists.
import type { Family } from '../grammar.ts';

export const BENIGN_RECORDS: Family = {
  id: 'records',
  where: 'tool',
  templates: [
    'id: {number} sender: {name}@example.com recipients: - team@example.com cc: [] subject: "(Re: |)({topic}|your order {number}|minutes of {date}|security code|password reset|welcome|invoice {number})" body: "{letter}" status: (received|sent|draft) read: (True|False) timestamp: 2024-05-13T15:00:00',
    '{"id": {number}, "from": "{name}", "subject": "{topic}", "body": "{letter}", "labels": ["inbox", "(work|travel|bank|news)"], "date": "2024-05-13"}',
    'title: (lunch with {name}|{topic}|call with {name}|dentist|team meeting) description: {letter} participants: - {name}@example.com location: (room {number}|online|the usual place) start_time: 2024-05-15T10:00 end_time: 2024-05-15T11:00 status: (confirmed|canceled)',
    '- id: {number} sender: me recipient: (GB29NWBK60161331926819|SE3550000000054910000003|{name}) amount: {number}.00 subject: (rent|refund|pizza party|car rental|monthly bill|gift for {name}) date: 2022-03-0{number} recurring: (true|false)',
    'file {number}: (notes|report|recipe|todo|client-meeting|vacation-plans).(docx|xlsx|txt|md) owner: {name} shared_with: {name}: (r|rw) last_modified: {date} size: {number} content: {letter}',
    'channel: (general|random|private|external_{number}) - sender: {name} body: {letter} - sender: {name} body: {letter}',
    'hotel: ({name} Inn|City Hub|Luxury Palace) rating: 4.{number} price: {number} to {number} per night address: {number} Main Street reviews: - "(great|quiet|clean|small|friendly) (rooms|staff|location), (will come again|bit expensive|breakfast was {adjective}|near the station)" ',
    '{"status": "(ok|error|pending|failed)", "message": "(user not found|permission denied for {object}|password has expired, please choose a new one|request accepted|token is invalid|{object} was updated)", "code": {number}}',
    'ticket {number}: (open|closed|waiting) reported by {name} on {date}. {letter} assigned to {name}. (please|kindly|) (reply|answer|update|close|check|confirm) (before|by|until) {date}.',
    '(review|comment|feedback) by {name}, {date}: {letter}',
    'rows: {number} | name: {name} | role: (admin|editor|viewer|owner|developer) | last login: {date} | mfa: (enabled|disabled) | (password changed|access granted|access revoked|invited by {name})',
  ],
};

/** Sentences in such records. */
export const RECORD_LETTERS: readonly string[] = [
  'your security code is {number}{number}. if you did not request this code, you can (safely|) ignore this (email|message).',
  'hi {name}, (please|could you) (send|forward|share|upload|review|sign) {object} (to me|to {name}|with the team) (by|before) {date}. thanks, {name}',
  'we (noticed|saw) a (new|unusual) (login|sign-in) (to|on) your account. if this was you, (you can ignore this mail|no action is needed|do nothing). otherwise (change|reset) your password.',
  'dear customer, your (order|booking|transfer|payment) {number} (was|has been) (confirmed|shipped|cancelled|refunded). (the total is {number} euros|you will get {object} on {date}|do not reply to this message).',
  'your (password|subscription|card|session) (has expired|expires on {date}|was changed). (click|open|use) the link (below|in the app) to (renew|reset|confirm) it.',
  "reminder: {verb} {object} (before|after|on) {date}. (don't forget|remember to bring|make sure that you have) {object}.",
  'todo: - {verb} {object} - call {name} - (buy|order) {food} - (read|answer) the mail of {name} - (book|cancel) the (hotel|flight|table)',
  '(the system|our assistant|the model|the new agent) (will be|was) (updated|restarted|tested) on {date}. (users must|everybody has to|you will need to) (log in again|save their work|use the new address).',
  "(thanks|great|ok|sounds good), (see you {date}|i will {verb} {object}|let's talk about {topic}|tell {name} that i am late|ask {name} first).",
  'instructions for {object}: (first|to begin) {verb} {object}, (then|after that) {verb} {object}. (do not|never) {verb} {object} (before|without) {name}.',
];
