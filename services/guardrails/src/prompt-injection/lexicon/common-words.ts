// Words that rules know nothing of, so that a text whose letters stand apart is read as the words that it has: the commoner ones of the
// repository's own pages and of the harmless sentences that services/guardrails/training makes.

export const COMMON_WORDS =
  'able abort aborted about above abricot absent abstract academy accept accepted access according account accounting accounts aceite act ' +
  'actele acting action actions active activity adapt add added address adgangskode adjectives admin administracji administrator administrators ' +
  'adults adventure advised advisory after afternoon again against agatha age agent agents ages aggiungere ago agree agreed ahora air ajouter ' +
  'alarms album all alla alle allow allowed allows almost alone already alsjeblieft also alte although always am amount an and andati anglais ' +
  'animal anleitung anna announce announced another ansatte answer answered answers anterior anteriores antes anthem anvisningarna anweisungen ' +
  'any anyone anything apart app appear appears application applied apply architect are area argue arguments arm around array arrived art ' +
  'article as aside ask asked asking asks assembling assert assigned assistant at ate attached attachment attachments attack attacker attackers ' +
  'attacks attempt attempts attention attraversa audit aufbau aushang austria authentication automatic available avant avec average aviso avoid ' +
  'away ayer ayuntamiento baby bacalhau back bad badge bag bagagem bagaglio bagajul bake baker balance balancer balancers bambini bana banca ' +
  'banco band bank bankaya banken banku banque base basil batch batteries bayern bayeux be beau became because become becomes bed bedtime been ' +
  'before begin beginner beginners beginning begins behave beheerder behind beim being belgeleri believe bello belongs below belt benchmark ' +
  'beri beside best better between beurre bicycle bien big bill binary biography birthday bist bitte block blocked blocks blog blood board body ' +
  'boil book booking boot boots boss both bouwen box boy branch brave breach bread break breaks breve bridge bright bring british brodo broken ' +
  'brother brown browser budget buen build building buildings buldum bullet bump burro bus business but butter button buy by bypass bypassed ' +
  'cache cachorro calculation caldo calendar call called caller callers calls cambiarla came camera campaign can cancel cancelled cani cannot ' +
  'cant capital capitals captain caption car card care career carefully carla carrots carry carrying cars cart casa case cases castle catch ' +
  'catches cats caught cause caution cebolas cebollas center central centre cerise certain chain chance change changed changer changes channel ' +
  'chapter chapters character characters charge charged chat chatbot chats chce cheaper check checked checklist checkpoint cheers cheese chef ' +
  'chess chiavi chicken child children childrens chmod choice choose chop christie chrome chunk chunks church cinnamon cipolle city claim clase ' +
  'class classifier classify clean clear click client climb climbing close closed cloud club clues coach code codes coffee cold colleague ' +
  'colleagues college colours column combien come comes command commands comment comments commit committee common community como company ' +
  'compare compares competition compiler complain complete compose compost compound computer concerning concert conclusion condition conditions ' +
  'condominio config configuration configure confirm confirmed confusion connection consider consignes console const constitution constraints ' +
  'constructor contact content context continue contract contracts control controls conversation convinced cook cookies cool copies copy ' +
  'copyright correct corrected corrections cortar corte corto cost costs could council count counted country counts couper couple course ' +
  'courses court cover create crime criminals crisp critic croquet crossword crown cuento cuisine culture cuma cups curl current custom ' +
  'customer customers customs cut daily danach dangerous dans dark data database date dates daughter day days dazu deadline dear death debate ' +
  'deben debug debugger decide decided decides decidir decision decisions decode deep default defend defined definition delayed delete ' +
  'deliberately delivery demo denied deniz denne dental deny department depends deprecated deprecation depuis describe describes description ' +
  'descriptions desde deshalb despre detail details detected detective detects deux develop developer developers development devem device ' +
  'devono deze diagram dialogue did die diesen diet diferencia differ difference different difficult digits dije dikkate dimenticare ' +
  'dimenticato dipendenti directions directiva directive director disable disables discard discarded disclaimer disclaimers discount discovered ' +
  'discuss discussed discusses discussion disk display disregard diver do docker docs docstring doctor doctors document documented documenti ' +
  'documentos documents does dog doivent dollar done dont doom door doppelkopf dose doubt down draak drachen draft drain draw drei drive drones ' +
  'drop dropped drug duas due dumplings dungeon duplicate during each earlier early easy eat echo economists economy edited editor education ' +
  'eens effect effort eggs egyszer eight eighties eind eine einen einer eines einmal electric elfelejtettem else email embed embedded emma ' +
  'emojis empleados employees empty enable enabled enables encode encontrei end ende ended ends energy enfants engels engelsk engine ' +
  'engineering engineers englische english enjoy enough enter entrance entre entries entro entry entrys enviar environment envoyer epoch ' +
  'equator equipaje erase eres error errors escape escreva escribe eslint esquece esqueci essay estante este ethics euros evaded even evening ' +
  'event events ever every everyone everything evil exactly exam example examples excel except exercise exfiltration expect expensive ' +
  'experience experiment experts expired explain explained explaining explains explanation explosion export expressions extends extension ' +
  'external extract eye face fact facts factura facture factuur fail failed fails failure faire faisait fakturan fakturu fall false family ' +
  'fantasy farmer fasse father fattura fatura favor favore fazer feature feedback feel fein fences few fiction field fields fietsen figure ' +
  'figures figyelmen file files film filter filters fin final finally finance finanzamt find finder finds fine finish fire firefox firewall ' +
  'first fit five fix fixed fixme flag flask fliegen floor flour fly focus fold folder follow following follows fomos food foot footnote for ' +
  'forbid forbidden forbids force foreign forest forget forgets forgetting forgot form formal forward found four framework frank frases frasi ' +
  'fredag free freedom freitag french friday friend friendly friends from fuimos full fun function funds funny future game games garden ' +
  'gardener gardening garlic gate gatto gave gefahren gefunden gegaan gelden gelten generation generics german geschichte gestern get gets ' +
  'gevonden girl gisteren git give given gives glaciers glemt glossary go goal goes going golden good goods got government grace grade grams ' +
  'grandmother grant granted grate grease great greek greeting greyed ground group groups grow guard guardrail guardrails guards guess guests ' +
  'guide guideline guidelines guitarra guy habe hack hacker hackers hacking had hagyja haiku hair halt hand handbagage handler happen happens ' +
  'happy hard harden has hassan hat hausverwaltung have havet he head header headers heading headings headset health hear heard heart heat ' +
  'heavy held hello help helped helpful helps henceforth her here hereby herzlichen heslo heures hidden hide hier high higher highly hikaye ' +
  'hiking him his histoire historian historians historie history hit hittat hizo hobbes hogyan hoje hold holds holiday holmes home hope ' +
  'hospital hot hotel hotline hour hours house how however https huge human husband hvordan hygiene hyllan hyllyn hyphenating ibuprofen idea ' +
  'ieri if ignora ignorar ignore ignored ignorer ignorera ignores ignoriere ignorieren ignoring ignorujte image images imaginary imagine ' +
  'implementation import important imprint improve in incident include included including incoming increase index indexes indirect industry ' +
  'info inform information inglese initial inject injection injections input insert inside install instead instrucciones instruct instructed ' +
  'instructies instruction instructions insulation insulin inte integer interest interesting intern internal internally interview interviewer ' +
  'into introduction invalid invented invitation invited invoice involve iptal irene is island issue isteyen istruzioni it italian italiani ' +
  'item items its itself jahren jailbreak jailbreaking jailbreaks jakie japanese jargon jazz jednou jelszavamat jeszcze jetzt job joins joke ' +
  'jonas joueurs journalists jsem json jsou judge judged judges juice june junte just kadar kann karenina kast katja keep keeps kept kernel key ' +
  'keyboard keys keyword kiitos kill killed kind kindergarten kindern kindly king kitchen kitchens knew knitting know known knows kort kubectl ' +
  'kubernetes kurallar kurulum kurze kurzform laat label labels laccord lago lake land landlord language languages laptop large last late later ' +
  'laundering lauten law laws lawyer layer layout lead leader leads leak leaking learn learned learning learns least leave leaves leer left ' +
  'leggere lemon lend lentils lese lesen lesson let lets letter letters lettre letzte level levelemet lever lezen library license life lift ' +
  'lifted light like likely limerick limit limits line lines link linked links lint linter linux liquids lire list liste listed listen lists ' +
  'litres little live lived lizzy llevar load loaded local location lock locked logerror logged login logo logs lonely long longer look looked ' +
  'looking looks loop lose loses lost lot love loved lovely loves low luis lunch lundi lunes lyon lyrics maand maandag machine machines made ' +
  'mail mails main maintenance maintenant mairie mais majuscules make makes malicious man manager managers mandare mano manteiga manual many ' +
  'marathon march mare mark markdown market marks master material maths matin matter matters may mayor me mean meaning means meant measure ' +
  'measures medewerkers media medical medicine medieval meer meet meeting mehr mein meine mejl melt member members memories memory memorys men ' +
  'mensagem mensaje mention menu merci merge merged mesajul mese message messages messaggio met metadata method metni metric middle might mijn ' +
  'milk miller millrace mind minha ministry minulle minute minutes misin miss missatge misses missing mission mistake mistakes mitarbeiter ' +
  'miten mitt mix mode model models moderation modern modify module moeten mois moment monats monday money monitor montage montar montare month ' +
  'mooi moralising more morning morse mortgage most mostly mostrami mother mots mountain move moved movie mower much murderer museum mushrooms ' +
  'music must mutasd my naar nach nadia name named names napisz nation national native nats natural near need needed needs negeer neighbour ' +
  'neighbours neither nelerdir net network neuen never new news newsletter next nftables ngilizceye nginx nice nicht niet nieuwe night nights ' +
  'no nobody noch node noise none nor normal normas north norway not note notes nothing notice noun nous nouveau nouvelle novak novas novel ' +
  'novo now nowe nudity nuevas null number numbers nuove nuovo nursing obey obeys object obvious october odd of off offer offers office officer ' +
  'official offline often ohjeet oignons oil ok okay old oldu olive oliver olvida olvidado olvides omitted on once one ones onfailure onions ' +
  'online only ontem open opened opening openings operation operations operator operators opowiadanie opponent opportunity oppsummer option ' +
  'optional options or oral orchestrator order ordered orders original other others otherwise otra oublie our ours out outdated outline output ' +
  'oven over overridden override overrides oversett overview overwrite owls own owner package paczka page pages paid pain paint painting panels ' +
  'paper papieren papperen para paragraph paragraphs parameter paraphrase parcel parent parental parking parola parseinput parser part ' +
  'participants participe parties parts party pass passe passed passes passport password passwords passwort past paste patch patel path patient ' +
  'patterns pay payload payloads payment pazartesiden peel peer pen pending pension pentru people pepper pequena per perfect period permanent ' +
  'permission permissions perro person persona personal persuaded petite phishing phone photo photos photosynthesis phrase phrases picture ' +
  'piece pieces pilot pin pinch pirate pizza place plage plain plan plane plans plant plants platforms platos plau play playa played player ' +
  'playlist please plum plumbing plums plus pods poem poet point points poire poison polc police policies policy policys polish polite politics ' +
  'poor poprzednie popular population port portal position possible posso post postgres potatoes poveste power powershell pracownicy practice ' +
  'practise praia pravidla precedente precedenti prefiero prepara prepared presentation president press pressure pretend prevented previous ' +
  'price prices prime principiantes print printed printer printi prints priority prisoner privacy private privilege priya probably problem ' +
  'process processed processinput processor processors produce product products profesor professor profite program project promenade promise ' +
  'prompt prompts proofreader protect protects proud provide provided provider providers proxy przed przewozu psie public publish published ' +
  'puedes puedo puis pull purpose put puzzle python qdrant quais quali quarterly queen quelle quelles quentin quer quero query quest question ' +
  'questions questo queue quick quickly quiere quiet quiz radio raft raise ran range rare rate rates rating reach read readers reading ' +
  'readpromptpath reads ready real realize really reason reasoning reasons rebase rebel recalled receita receive received receives recent ' +
  'receptionist rechnung recipe recipient recommend recommended recommending reconstruct record records recovery red redact redis reduces ' +
  'refactor reference refogue refund refunds refused refuses regals regarding regards regeln regels registered reglamento reglas reglene ' +
  'reglerna regole regras regular regularly regulated regulile reinstalling rejected rejects relationship release reliable remain remains ' +
  'remember remembered reminded reminder remove removed removes rename renew rent rental repair repeat replace replaced replaces replay replica ' +
  'replicas replies reply report reported reports repositories reproduce request requests require required requirements requires research ' +
  'researcher researchers reserved reset resets resource respond response responses responsible rest restart restaurant restriction ' +
  'restrictions result results resuma retract retries retry return returning returns reuse reveal revealing reveals revenir revert review ' +
  'reviews revoked revolution rewrite rhyme riassumilo rice richtlinie rid riddle right rights risk risks river road robbery robot rock role ' +
  'roles roman romans room rooms root rope rosa rotate router row rule ruled rules run runid runner running runs rural safe safety said salary ' +
  'salasanani sales salt same samen save saves saw say says scaffale scammers scene schedule scheduler schema schemas schicken schimb schneiden ' +
  'schon school schreib schrijf science scientists scope scouts scrap screen screens scrie script scrivi sea search searches season seat second ' +
  'secret secrets section secure security sedan see seen sees seit select sell selling sells semicolons send sender sending sends senha sense ' +
  'sent sentence sentences separate sequence serious serve served server servers serves service services session sessions set setninger sets ' +
  'setting settings setze several share shared she shelf shell sherlock ship shipped shipping shoes shop short shortcut shorten should show ' +
  'showed showmenu shown shows siamo side sides siehe sign signed similar simmer simple simpler simply simulate since sind sinds single sistema ' +
  'sister sit site situation six skicka skip skips skriv sleep slept slices slow slowly slutten small smoke so sobre social society sofa ' +
  'soffriggerle software solar solo solution solve solved solves some somebody something sometimes sommes son song sono sont soon sorry sort ' +
  'sortieren source sources sourdough south space spam spanish speak speaker special speech spell spelling spend spielregeln spinach split ' +
  'spoons spotify spreadsheet spreadsheets sqlite staff stage stages staging stand stands star stars start started starting starts startup ' +
  'state statements station stationen status stay stays stdio steal stealing steals stell step steps sterns sticky still stir stoep stop ' +
  'stopped stops storage store stored stores storia story strand strange strategy stream streams street strict string strong structure student ' +
  'students studies study sturen stutter style subclass subject subjects subscribe subscribed subscription successful such sudo sugar suggest ' +
  'suit sum summarise summarize summarizes summary summer sun sunday sunt supersedes support sure surname surprise survey suspend suspended ' +
  'suspicious sven swear swim switch system systemconfig szeretne table tablet tack tagliare tags take taken takes talimatlar talk talked ' +
  'tangerine tapestry tariq task tasks taste tax teach teacher teachers team teams technique technology tekrar tekst teksten tell telling tells ' +
  'tempo temporary ten tenant tenants term terminal terms terrible terse test tested testers testo tests text texte texto texts than thank ' +
  'thanks that the their them theme then there thermostat these they thin thing things think thinkpad third this those thought thread threads ' +
  'threat three through throws thursday ticket tidigare tiempo till time timeoutms times tip tips tired title to today todo todos together ' +
  'token tokens told tomate tomato tomatoes tomorrow tone too took tool toolcallid tools top topic topics total tous town trace traceback ' +
  'traduce traduci traduis traduza train trained trainee trainer training transaction transferred translate travel traverse treat tree trein ' +
  'trem tren trende treni treno treppenhaus trick tricked trie tried trip triple tripwire trobat trovato true truth try tudom tuesday turn ' +
  'turns tutor tutti twee tweets twenty twice two type types typescript typical typing ubuntu uita uitat unclear under understand unfiltered ' +
  'union unit units unknown unless unohdin unpacked unterlagen unterschied until untrusted unut unutma unuttum unwritten up update updated ' +
  'upgrade upload upper us usage use used useful user username users uses using usual usually uudelleen vacances vaccination vaccine vaihtaa ' +
  'valables valem valgono valid validate validated valide value values variable vendredi veranderen verb verdict verdicts vergeet vergessen ' +
  'vergeten vergiss verhaal verification verordnung version versions vertaal very via video vienna viernes view viktor vilka village villain ' +
  'vineri violate violations visa visit visiting visitors vlaku vliegen voar voice voices voici void voin volar volunteers vonaton voor ' +
  'vorherigen vorige vrea vrijdag wachtwoord wait waited waiter waits wake walk walked wall want wanted wants war warm warn warning warnings ' +
  'warns warranty was wash washing watch water watercolour way we weak weapon weather web website week weekend weekly weer welche welcome welke ' +
  'well wendy wenn went were wetter whales whaling what whatever when whenever where whether which while white who whoever whole whose why wien ' +
  'wife wifi will win window windows wire with within without wizard woman won wonder word wordpress words work worked worker workers working ' +
  'works workshop world worry worth would write writes writing written wrong wrote wszyscy wytyczne yaml year years yes yesterdays yet you ' +
  'young your youre yusuf zabudol zapomnij zasady zavazadla zboare zeig zhou zien zignoruj zijn zinnen zusammen zwei zwiebeln zwischen ';
