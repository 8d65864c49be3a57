// Words that hold an English sentence together and say nothing of what it is about. They count for nothing when a question
// is compared with a sentence, and for little in an embedding.
export const functionWords: ReadonlySet<string> = new Set(
  `a about again all also am an and any are as ask asked at be because been before but by can could did do does don for
  from give had has have he her here him his how i if in into is it its just know let like ll m may me mean mention
  mentioned mine my name named no not now of off ok on or our out over please re remember remind s said say says she
  should show so some t tell than that the their them then there these they this those to told too up us ve very want
  was we were what when where which who whom whose why will with would yes you your`.split(/\s+/),
);
