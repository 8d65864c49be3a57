// Sentences of everyday words: orders, questions and statements, to "you" and about "your" things, without a demand on
// a model.
import type { Lists, Family } from '../grammar.ts';

const words = (text: string): string[] =>
  text
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll('_', ' '));

export const PLAIN_WORDS: Lists = {
  noun: words(`time year people way day man thing woman life child world school state family student group country problem hand part place case week company
    system program question work government number night point home water room mother area money story fact month lot right study book eye job word business issue
    side kind head house service friend father power hour game line end member law car city community name president team minute idea body information back parent
    face others level office door health person art war history party result change morning reason research girl guy moment air teacher force education foot boy age
    policy process music market sense nation plan college interest death experience effect use class control field development role effort rate heart drug show leader
    light voice wife police mind price report decision son view relationship town road arm difference value building action season society tax director position player
    record paper space ground form event official matter center couple site project activity star table need court oil situation cost industry figure street image phone
    data picture practice piece land product doctor wall patient worker news test movie north love support technology step baby computer type attention film tree source
    hair window culture chance brother energy period course summer plant opportunity term letter condition choice rule daughter south husband floor campaign material
    population call economy hospital church risk fire future bank example letter key list card note page bag box train bus ticket bread kitchen garden bridge river lake
    mountain island ship engine machine tool screen button file folder code error user account password network server client request response query token string array
    function value method object class type field column row index cache queue worker thread process memory disk log event message channel header body token version
    branch commit release patch merge build test package module library framework license notice section chapter paragraph sentence title heading footnote reference
    instruction prompt model answer output input task agent assistant filter limit setting option default permission role policy guideline restriction secret`),
  action:
    words(`ask use work call try need feel leave put mean keep let begin help talk turn start show hear play run move like live believe hold bring happen write provide sit
    stand lose pay meet include continue set learn change lead understand watch follow stop create speak read allow add spend grow open walk win offer remember love consider
    appear buy wait serve die send expect build stay fall cut reach kill remain suggest raise pass sell require report decide pull return explain hope develop carry break
    receive agree support hit produce eat cover catch draw choose cause point listen realize place close involve increase check reset print paste copy save load export import
    delete remove ignore skip forget repeat translate summarize rewrite reveal share display list describe compare review test debug install update upgrade configure enable
    disable override replace merge split sort filter count measure clean wash cook bake paint drive fly swim climb sleep wake visit travel book order cancel confirm sign`),
  quality:
    words(`good new first last long great little own other old right big high different small large next early young important few public bad same able free sure clear
    whole white red strong possible hard special certain open short single full local late easy true real simple recent common current similar final main close serious
    ready private past foreign fine hot cold dark huge popular central happy wrong safe poor deep nice available likely medical personal natural quick empty warm heavy
    previous original initial internal hidden secret external automatic manual optional required valid invalid missing duplicate temporary permanent default custom`),
  how: words(`often always never usually again now then here there today soon later already still carefully quickly slowly together alone twice only just even also almost exactly
    finally mostly simply really probably instead however before after first next at_once at_home in_time by_hand on_purpose in_order on_time in_detail once_more`),
  with: words(
    'with without for in on under over about against between during near beside through into from at by after before behind like except since',
  ),
  who: words(
    'I you we they he she it everyone nobody somebody people children users customers teachers my_father your_sister our_neighbour the_others',
  ),
};

const n = '{noun}';
const v = '{action}';
const q = '{quality}';
export const BENIGN_PLAIN: readonly Family[] = [
  {
    id: 'plain-orders',
    where: 'both',
    templates: [
      `(please|kindly|now|first|then|just|) ${v} (the|your|my|all|any|this|these|every) ${q} ${n} {with} (the|your|a|my|) ${n}.`,
      `(please|kindly|now|first|then|just|) ${v} (the|your|my|all|any|this|our) ${n} {how}.`,
      `(do not|never|don't) ${v} (the|your|my|all|any) ${n} {with} (the|your|a) ${q} ${n}.`,
      `(you|users|guests|we|students) (must|should|can|may|will|have to|need to|are not allowed to) ${v} (the|your|my|all|any|every|a) ${q} ${n} {how}.`,
      `(show|tell|give|send|bring|read|write|lend|teach) (me|us|him|her|them) (the|your|a|all the|some|that) ${q} ${n} {with} (the|your|my) ${n}.`,
      `(show|tell|give|send|read|explain to) me (what|how|why|when|where|which ${n}) (you|they|we|I) (${v}|${v} the ${n}|were {with} the ${n}|had {with} the ${n}).`,
      `(let us|let me|I want you to|I would like you to|I need you to|could you|can you|would you) ${v} (the|your|my|a|all the) ${n} (and|then|but) ${v} (it|them|the ${n}).`,
      `(forget|ignore|skip|disregard|drop|leave) (the|that|this|my|your) ${q} ${n}, (it|that|this) (is|was) ${q}.`,
      `(from now on|from today|starting now|as of now|henceforth), (you|we|I|they|all ${n}s) (will|must|should|can|are going to) ${v} (the|your|a) ${q} ${n}.`,
    ],
  },
  {
    id: 'plain-questions',
    where: 'both',
    templates: [
      `(what|which|where|how|who|why) (is|are|was|were) (the|your|my|our|this|that|their) ${q} ${n}?`,
      `(what|how|where|why|when) (do|did|does|can|could|should|will|would) {who} ${v} (the|your|my|a|all the) ${n} {with} (the|a|your) ${n}?`,
      `(have|did|do|can|are|were) you (ever|already|really|often|) (${v}|told|given|seen|asked|been|read|found) (the|your|a|any|about the) ${q} ${n}?`,
      `(what|which ${n}) (were|was|are) (you|they|we|the ${n}) (told|given|asked|shown|sent) {with} (the|a|your) ${n}?`,
      `is (there|it|this|that|your ${n}|the ${n}) (a|the|any|really|) ${q} ${n} {with} (you|me|the ${n}|your ${n})?`,
    ],
  },
  {
    id: 'plain-statements',
    where: 'both',
    templates: [
      `(the|a|my|your|our|their|his|every|no) ${q} ${n} (is|was|has been|will be|became|should be|must be) ${q} {with} (the|a|your|all) ${n}.`,
      `{who} (can|will|may|should|did|could|must|might) ${v} (the|your|a|my|all) ${n} {with} (the|your|a|its) ${q} ${n}.`,
      `(you are|you were|you will be|I am|we are|he is|she was|they are|it is) (now|not|still|) (a|the|my|our|your) ${q} ${n} {with} (the|a|no|your|my) ${n}.`,
      `(if|when|whenever|because|although|before|after|since|while|unless) {who} ${v} (the|your|a|any) ${n}, {who} (will|must|should|can|may) ${v} (the|your|a|my) ${n} {how}.`,
      `(as|like) (a|an|the) ${q} ${n}, (you|I|we) ${v} (the|your|a) ${n} and ${v} {how}.`,
      `(this|that|the following|the ${n} above|the ${n} below|everything above|all of it) (is|was|shows|means|belongs to|comes from|must not be) (the|a|your|) ${q} ${n}.`,
      `{noun} {noun} {with} {noun} and {noun}, {quality} {noun} {action} {how}.`,
      `{action} {noun}: {quality}, {noun}: {noun}, {noun} {noun} {action} {how}`,
      `(there|here) (is|are|was|were) (no|a|some|many|the) ${q} ${n}s (that|which|who) ${v} (the|your|a|all) ${n} {with} (the|a|your) ${n}.`,
      `(all|any|every|each|some|most) ${n}s (of|in|from|above|below) (the|your|this|our) ${n} (are|were|must be|have been|will be) (${q}|${v}ed|${v}ed {with} the ${n}).`,
      `the ${n}'s ${n} (told|asked|said|wanted|had|gave|let) {who} (to ${v}|about the ${n}|a ${q} ${n}|that the ${n} was ${q}|what to ${v}).`,
    ],
  },
];
