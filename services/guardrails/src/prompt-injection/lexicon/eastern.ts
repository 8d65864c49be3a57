// Slavic languages, Greek, Hungarian, Turkish and others that are written with spaces. The classes are those of western.ts.
import type { Vocabulary } from './entry.ts';

const RUSSIAN_UKRAINIAN_BULGARIAN: Vocabulary = {
  drop: 'игнорир* проигнорир* забудь забудьте забыть забудем пренебреги* отбрось* отмени* не_следуй не_обращай_внимания не_слушай перестань_следовать пропусти* обойди* сотри* удали* ігнору* проігнору* забудь_про забудьте_про відкинь* не_зважай* знехтуй* не_дотримуйся скасуй* пренебрегни* забрави* игнорирай* не_следвай не_обръщай_внимание сбрось',
  former:
    'предыдущ* прошл* прежн* ранее выше вышеуказанн* вышеперечисленн* первоначальн* исходн* изначальн* данные полученн* до_этого предшествующ* попередн* раніше вище початков* наведен* предишн* горн* по_горе дадени дотук минал*',
  every: 'все всё всех любые любой каждую каждый усі всі усіх будь_які всички всичко всяка',
  own: 'твои твой твоих твоего свои свой своих ваши ваш ваших систем* внутренн* секретн* скрыт* твої твій ваші свої системн* внутрішн* таємн* приховані твоите вашите вътрешн* тайни',
  orders:
    'инструкц* указан* команд* директив* промпт* промт* предписан* приказ* установки інструкц* вказівк* підказк* наказ* заповед* указания* нареждан* подсказк*',
  regs: 'правил* ограничен* запрет* фильтр* настройк* сообщен* текст* контекст* обмежен* заборон* обучен* политик* рамки повідомлен* забран*',
  tell: 'покажи* выведи* раскрой* расскажи* скажи* повтори* напиши* назови* напечатай* переведи* перечисли* выдай* дай открой* процитируй* скопируй* перескажи* виведи* розкрий* розкажи* напишіть надрукуй* переклади* перелічи* назви* кажи разкрий* повтори* изведи* преведи* изброй* сподели',
  ask: 'каковы какие_у_тебя какие_твои что_написано что_сказано какой_у_тебя які_твої які_у_тебе якими_є какви_са какъв_е каков_твой яка_твоя',
  sysprompt:
    'системный_промпт системного_промпта системный_промт системное_сообщение системные_инструкции системна_підказка системний_промпт системне_повідомлення системні_інструкції системния_промпт системни_инструкции системната_подсказка системную_подсказку системная_подсказка',
  become:
    'ты_теперь теперь_ты вы_теперь действуй_как веди_себя притворись представь_что_ты сыграй_роль играй_роль с_этого_момента отныне ти_тепер тепер_ти дій_як поводься прикинься уяви_що_ти відтепер ти_си_сега сега_си дръж_се представи_си от_сега_нататък',
  unbound:
    'без_ограничений без_правил без_фильтров без_цензуры неограниченн* безо_всяких_ограничений никаких_ограничений никаких_правил без_обмежень без_цензури без_фільтрів без_жодних_обмежень без_ограничения без_филтри нецензурирован* ніяких_обмежень',
  passw:
    'пароль пароля пароли код_доступа секретный_код секретное_слово кодовое_слово парол* код_за_достъп таємне_слово таємний_код кодове_слово код_доступу',
  granted:
    'доступ_разрешен доступ_предоставлен доступ_открыт доступ_получен доступ_надано доступ_дозволено достъп_разрешен достъпът_е_разрешен',
  hushed:
    'не_говори_пользователю не_сообщай не_упоминай не_рассказывай_пользователю не_кажи_користувачу не_казвай_на_потребителя незаметно_для_пользователя',
  reply: 'ответ ответе ответы ответь отвечай ответом відповідь відповіді відповідай отговор отговора отговори',
};

const POLISH_CZECH_SLOVAK: Vocabulary = {
  drop: 'zignoruj* ignoruj* zapomnij zapomnijcie zapomen zapomente pomin pominac odrzuc nie_stosuj_sie nie_przestrzegaj przestan_przestrzegac nie_zwazaj zlekcewaz zabudni zabudnite nedbej nedbaj neber_ohled prehliz* ignorujte pominac anuluj zrus preskoc usun',
  former:
    'poprzedni* wczesniejsz* powyzsz* dotychczasow* pierwotn* otrzyman* powyzej przedtem predchoz* predesl* vyse uveden* puvodni* dosavadni* predchadzajuc* vyssie povodn* drivejs* doterajs* podane dane',
  every: 'wszystkie wszystko wszelkie kazde wszystkich vsechny vsechno veskere vsetky vsetko kazdy kazdou',
  own: 'twoje swoje twoich swoich wasze systemow* wewnetrzn* tajne ukryte tve svoje sve tvoje vase interni tajne skryte interne',
  orders:
    'instrukcj* polecen* wskazowk* dyrektyw* prompt prompty promptu rozkaz* wytyczne wytycznych instrukce instrukci instrukcii instrukcie pokyn* prikaz* smernic*',
  regs: 'zasad* regul* ograniczen* limity filtry zakazy wiadomosc* tekst kontekst pravidl* omezeni obmedzeni* zpravy spravy text kontext',
  tell: 'pokaz pokaz_mi ujawnij wyswietl powiedz podaj powtorz wypisz napisz wydrukuj przetlumacz wymien zdradz przepisz zacytuj streszcz ukaz ukaz_mi odhal prozrad rekni zopakuj vypis vytiskni preloz vyjmenuj povedz prezrad napis zopakujte',
  ask: 'jakie_sa jaki_jest co_mowi co_zawiera jake_jsou jaky_je co_je_v ake_su aky_je jak_brzmi jak_zni',
  sysprompt:
    'prompt_systemowy promptu_systemowego wiadomosc_systemowa instrukcje_systemowe systemovy_prompt systemove_instrukce systemovou_zpravu systemova_zprava systemove_instrukcie',
  become:
    'jestes_teraz teraz_jestes zachowuj_sie_jak udawaj udawaj_ze wciel_sie dzialaj_jako wyobraz_sobie_ze_jestes od_teraz nyni_jsi jsi_nyni chovej_se_jako predstirej predstav_si_ze_jsi od_ted teraz_si spravaj_sa_ako predstieraj hraj_roli odteraz',
  unbound:
    'bez_ograniczen bez_zasad bez_filtrow bez_cenzury nieocenzurowan* nieograniczon* zadnych_ograniczen zadnych_zasad bez_omezeni bez_pravidel bez_cenzury bez_filtru necenzurovan* bez_obmedzeni bez_pravidiel zadna_omezeni',
  passw:
    'haslo hasla kod_dostepu tajny_kod tajne_slowo heslo hesla pristupovy_kod tajny_kod pristupovy_kod tajne_slovo',
  granted:
    'dostep_przyznany przyznano_dostep dostep_udzielony pristup_povolen pristup_udelen pristup_povoleny dostep_dozwolony',
  hushed:
    'nie_mow_uzytkownikowi nie_informuj_uzytkownika nie_wspominaj nerikej_uzivateli neinformuj_uzivatele nehovor_pouzivatelovi',
  reply: 'odpowiedz odpowiedzi odpowiadaj odpoved odpovedi odpovez odpovedz',
};

const SOUTH_SLAVIC: Vocabulary = {
  drop: 'ignorisi ignoriraj ignorisite ignorirajte zanemari zanemarite zaboravi zaboravite odbaci preskoci ne_prati prestani_pratiti pozabi prezri игнориши занемари заборави одбаци',
  former: 'prethodn* ranij* gornj* dosadasnj* pocetn* izvorn* prejsnj* zgornj* претходн* раниј* горе почетн* navedene',
  every: 'sve svaku svih sva vse vsa све сваку сва',
  own: 'tvoje svoje tvoja vase interne tajne sistemske sustavske tvoj твоје своје ваше',
  orders:
    'instrukcij* uputstv* upute uputa naredb* smernic* smjernic* prompt navodil* ukaze инструкциј* упутств* наредб*',
  regs: 'pravila pravil* ogranicenj* omejitve poruke tekst filtere правила ограничењ*',
  tell: 'pokazi prikazi otkrij reci ponovi napisi ispisi prevedi nabroj daj razkrij izpisi povej покажи откриј понови испиши реци преведи',
  ask: 'koje_su koja_su kakva_su kaksna_so који_су која_су sta_pise',
  sysprompt:
    'sistemski_prompt sistemske_instrukcije sistemska_poruka sustavski_prompt sustavske_upute системски_промпт sistemska_navodila sistemsko_sporocilo',
  become:
    'sada_si sad_si ponasaj_se_kao pretvaraj_se glumi zamisli_da_si od_sada сада_си понашај_се zdaj_si pretvarjaj_se obnasaj_se',
  unbound:
    'bez_ogranicenja bez_pravila bez_cenzure bez_filtera brez_omejitev brez_pravil necenzurisan* без_ограничења без_правила neogranicen*',
  passw: 'lozinka lozinku lozinke sifra sifru tajni_kod pristupni_kod geslo лозинка шифра',
  granted: 'pristup_odobren pristup_dozvoljen dostop_dovoljen приступ_одобрен',
  reply: 'odgovor odgovori odgovoru одговор',
};

const GREEK: Vocabulary = {
  drop: 'αγνοησ* αγνοειστε ξεχασε ξεχαστε παραβλεψε παραβλεψτε μην_ακολουθ* παρακαμψε σταματα_να_ακολουθεις διεγραψε παρελειψε',
  former: 'προηγουμεν* παραπανω πιο_πανω αρχικ* προγενεστερ* δοθηκαν ανωτερω πριν',
  every: 'ολες ολα ολους καθε οποιεσδηποτε τα_παντα',
  own: 'σου σας συστηματος εσωτερικ* μυστικ* κρυφ*',
  orders: 'οδηγι* εντολ* κατευθυνσ* προτροπ* υποδειξ* prompt',
  regs: 'κανον* περιορισμ* μηνυμα* κειμενο φιλτρα πολιτικ*',
  tell: 'δειξε δειξτε αποκαλυψε αποκαλυψτε πες πειτε επαναλαβε γραψε εκτυπωσε μεταφρασε απαριθμησε εμφανισε δωσε συνοψισε',
  ask: 'ποιες_ειναι ποιο_ειναι ποια_ειναι τι_λεει τι_λενε',
  sysprompt: 'προτροπη_συστηματος μηνυμα_συστηματος οδηγιες_συστηματος system_prompt_σου',
  become:
    'ειναι_τωρα εισαι_τωρα τωρα_εισαι συμπεριφερσου_σαν κανε_πως παιξε_τον_ρολο προσποιησου απο_εδω_και_περα φαντασου_οτι_εισαι',
  unbound: 'χωρις_περιορισμους χωρις_κανονες χωρις_φιλτρα χωρις_λογοκρισια κανεναν_περιορισμο αλογοκριτ* χωρις_ορια',
  passw: 'κωδικο κωδικος κωδικου συνθηματικο μυστικη_λεξη',
  granted: 'προσβαση_επιτρεπεται προσβαση_εγκριθηκε η_προσβαση_επιτραπηκε',
  reply: 'απαντηση απαντησεις απαντησε',
};

const HUNGARIAN: Vocabulary = {
  drop: 'hagyd_figyelmen hagyja_figyelmen felejtsd felejtsd_el felejtse_el ne_kovesd mellozd mellozze torold ignorald hagyj_figyelmen ugord_at',
  former: 'korabb* elozo* fenti eddigi* eredeti* kezdeti* kapott megadott',
  every: 'minden osszes valamennyi mindent',
  own: 'utasitasaidat utasitasaid szabalyaidat belso titkos rendszer* sajat',
  orders: 'utasitas* instrukci* parancs* prompt* iranyelv* rendszerutasitas* rendszerprompt*',
  regs: 'szabaly* korlatozas* uzenet* szoveg* szuro*',
  tell: 'mutasd mutassa ird irja mondd mondja ismeteld add_meg aruld_el fedd_fel nyomtasd sorold forditsd foglald_ossze masold jelenitsd',
  ask: 'mik_a mi_a mik_az mi_az melyek_a',
  sysprompt: 'rendszerprompt* rendszeruzenet* rendszerutasitas*',
  become: 'mostantol_te te_most viselkedj_ugy tegyel_ugy tegy_ugy jatszd_el kepzeld_el mostantol_egy most_mar',
  unbound:
    'korlatozas_nelkul korlatok_nelkul szabalyok_nelkul cenzura_nelkul cenzurazatlan* nincsenek_szabalyok nincsenek_korlatok korlatozasok_nelkul korlatlan*',
  passw: 'jelszo* hozzaferesi_kod* titkos_kod* titkos_szo*',
  granted: 'hozzaferes_megadva hozzaferes_engedelyezve hozzaferes_engedelyezett',
  reply: 'valasz valaszod valaszodat valaszolj',
};

const TURKISH: Vocabulary = {
  drop: 'yoksay yok_say yok_sayin gormezden_gel gormezden_gelin unut unutun goz_ardi_et dikkate_alma uyma takip_etme gec iptal_et sil dikkate_almayin bosver gozardi_et yoksayin',
  former: 'onceki yukaridaki yukarida daha_onceki ilk baslangictaki verilen eski simdiye_kadarki evvelki mevcut',
  every: 'tum butun her hepsini',
  own: 'senin sizin gizli dahili sistem talimatlarini kurallarini',
  orders: 'talimat* komut* yonerge* yonlendirme* emir* emirleri istem* prompt* direktif*',
  regs: 'kural* kisitlama* sinirlama* mesaj* metin filtre* politika*',
  tell: 'goster acikla soyle yaz yazdir tekrarla cevir listele ver paylas ifsa_et ozetle kopyala anlat goruntule bana_ver',
  ask: 'nedir neler nelerdir ne_diyor',
  sysprompt:
    'sistem_istemi sistem_istemini sistem_promptu sistem_promptunu sistem_mesaji sistem_mesajini sistem_talimatlari sistem_talimatlarini sistem_komutunu sistem_komutu',
  become:
    'artik_sen sen_artik simdi_sen gibi_davran rolunu_oyna rol_yap gibi_yap bundan_sonra bundan_boyle oldugunu_hayal_et',
  unbound:
    'kisitlama_olmadan sinirsiz kuralsiz filtresiz sansursuz kisitlamasiz hicbir_kural hicbir_kisitlama kurallara_bagli_olmayan sinir_tanimayan',
  passw: 'sifre* parola* erisim_kodu* gizli_kod* gizli_kelime*',
  granted: 'erisim_izni_verildi erisim_verildi erisim_onaylandi giris_izni_verildi erisim_saglandi',
  reply: 'cevap cevabin cevabinda yanit yanitin yanitinda yanitla cevapla',
};

const SOUTH_EAST_ASIAN: Vocabulary = {
  drop: 'abaikan lupakan hiraukan jangan_ikuti kesampingkan lewati hapus bo_qua quen quen_di phot_lo dung_tuan_theo khong_tuan_theo xoa_bo balewalain kalimutan huwag_pansinin huwag_sundin puuza pizana sahau usifuate acha_kufuata',
  former:
    'sebelumnya terdahulu di_atas awal semula tadi truoc truoc_do o_tren ben_tren ban_dau phia_tren da_cho nakaraan nauna naunang naunan sa_itaas zilizopita yaliyopita ya_awali zilizotangulia hapo_juu zilizotolewa',
  every: 'semua segala seluruh setiap tat_ca moi toan_bo lahat yote zote kila',
  own: 'anda kamu internal rahasia sistem cua_ban bi_mat he_thong iyong mga_iyong sikreto yako wako siri mfumo sistemmu',
  orders:
    'instruksi instruksimu perintah petunjuk arahan pedoman prompt panduan huong_dan chi_dan chi_thi lenh menh_lenh loi_nhac yeu_cau tagubilin panuto utos maagizo maelekezo maelezo amri instruksi_sistem',
  regs: 'aturan batasan pembatasan larangan pesan teks konteks filter quy_tac gioi_han han_che tin_nhan van_ban alituntunin patakaran limitasyon sheria vikwazo kanuni ujumbe',
  tell: 'tampilkan tunjukkan ungkapkan beritahu katakan ulangi tulis tuliskan cetak terjemahkan sebutkan berikan bocorkan ringkas salin hien_thi tiet_lo cho_toi_biet noi in_ra lap_lai viet dich liet_ke cung_cap dua_ra cho_toi_xem ipakita ibunyag sabihin ulitin isulat ilista isalin onyesha fichua niambie rudia andika tafsiri orodhesha toa',
  ask: 'apa_saja apa apakah la_gi nhung_gi ano_ang ano ni_nini ni_yapi apa_isi',
  sysprompt:
    'prompt_sistem perintah_sistem pesan_sistem instruksi_sistem loi_nhac_he_thong huong_dan_he_thong thong_bao_he_thong prompt_he_thong tin_nhan_he_thong system_prompt_mo maagizo_ya_mfumo ujumbe_wa_mfumo',
  become:
    'sekarang_kamu kamu_sekarang anda_sekarang bertindaklah_sebagai bertindak_sebagai berpura_puralah berpura_pura mulai_sekarang bay_gio_ban ban_bay_gio hay_dong_vai dong_vai gia_vo hanh_dong_nhu tu_bay_gio ikaw_ngayon ngayon_ikaw magpanggap kumilos_bilang sasa_wewe wewe_sasa jifanye tenda_kama kuanzia_sasa',
  unbound:
    'tanpa_batasan tanpa_aturan tanpa_filter tanpa_sensor tanpa_batas tidak_memiliki_batasan khong_gioi_han khong_bi_gioi_han khong_co_quy_tac khong_kiem_duyet khong_bi_kiem_duyet khong_han_che walang_limitasyon walang_paghihigpit walang_patakaran bila_vikwazo bila_sheria bila_kikomo',
  passw:
    'kata_sandi sandi kode_akses kode_rahasia mat_khau ma_truy_cap ma_bi_mat tu_khoa_bi_mat password_mo nenosiri neno_la_siri msimbo_wa_siri',
  granted:
    'akses_diberikan akses_diizinkan quyen_truy_cap_duoc_cap da_cap_quyen_truy_cap truy_cap_duoc_cho_phep cho_phep_truy_cap pinayagan_ang_access ufikiaji_umeruhusiwa',
  reply: 'jawaban jawabanmu jawab balasan cau_tra_loi tra_loi phan_hoi sagot tugon jibu jibu_lako',
};

const SOUTH_ASIAN: Vocabulary = {
  drop: 'अनदेखा नज़रअंदाज़ नजरअंदाज भूल भूल_जाओ भूल_जाएं भूल_जाइए उपेक्षा अनदेखी ध्यान_मत_दो पालन_मत_करो दुर्लक्ष विसरा উপেক্ষা ভুলে ভুলে_যাও ভুলে_যান অগ্রাহ্য এড়িয়ে',
  former:
    'पिछले पिछली पिछला पहले पूर्व उपरोक्त ऊपर पूर्ववर्ती प्रारंभिक दिए_गए दिये_गये मागील वरील আগের পূর্ববর্তী উপরের পূর্বের প্রাথমিক',
  every: 'सभी सब सारे समस्त हर सर्व সব সকল সমস্ত',
  own: 'अपने अपनी अपना आपके आपकी आपका तुम्हारे तुम्हारी तुम्हारा सिस्टम गुप्त आंतरिक तुझ्या तुमच्या তোমার আপনার সিস্টেম গোপন',
  orders:
    'निर्देश निर्देशों निर्देशो आदेश आदेशों अनुदेश अनुदेशों हिदायत हिदायतों प्रॉम्प्ट प्राम्प्ट सूचना सूचनांकडे निर्देशन নির্দেশ নির্দেশনা নির্দেশাবলী নির্দেশগুলি নির্দেশনাগুলি নির্দেশাবলি আদেশ প্রম্পট',
  regs: 'नियम नियमों प्रतिबंध प्रतिबंधों सीमाओं सीमा संदेश संदेशों बातें বিধি নিয়ম সীমাবদ্ধতা বার্তা',
  tell: 'दिखाओ दिखाएं दिखाइए बताओ बताएं बताइए बताना प्रकट दोहराओ दोहराएं लिखो लिखें प्रिंट अनुवाद सूची उजागर दो साझा दाखवा सांगा দেখাও দেখান বলো বলুন প্রকাশ লিখ লিখুন পুনরাবৃত্তি অনুবাদ',
  ask: 'क्या_हैं क्या_है क्या কী কি',
  sysprompt: 'सिस्टम_प्रॉम्प्ट सिस्टम_निर्देश सिस्टम_संदेश सिस्टम_प्राम्प्ट সিস্টেম_প্রম্পট সিস্টেম_নির্দেশ',
  become: 'अब_तुम अब_आप तुम_अब आप_अब की_तरह_काम की_तरह_व्यवहार अब_से नाटक_करो दिखावा_करो এখন_তুমি এখন_আপনি এখন_থেকে ভান_করো',
  unbound:
    'बिना_किसी_प्रतिबंध बिना_प्रतिबंध कोई_नियम_नहीं कोई_प्रतिबंध_नहीं बिना_नियम असीमित बिना_सेंसर কোনো_সীমাবদ্ধতা_ছাড়া কোনো_নিয়ম_ছাড়া কোন_নিয়ম_নেই',
  passw: 'पासवर्ड गुप्त_कोड एक्सेस_कोड পাসওয়ার্ড গোপন_কোড',
  granted: 'पहुंच_प्रदान एक्सेस_ग्रांटेड पहुँच_प्रदान_की_गई प्रवेश_की_अनुमति অ্যাক্সেস_দেওয়া প্রবেশাধিকার_দেওয়া',
  reply: 'उत्तर जवाब प्रतिक्रिया উত্তর জবাব',
};

export const EASTERN: readonly Vocabulary[] = [
  RUSSIAN_UKRAINIAN_BULGARIAN,
  POLISH_CZECH_SLOVAK,
  SOUTH_SLAVIC,
  GREEK,
  HUNGARIAN,
  TURKISH,
  SOUTH_EAST_ASIAN,
  SOUTH_ASIAN,
];
