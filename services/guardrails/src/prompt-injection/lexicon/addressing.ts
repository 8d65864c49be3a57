// Words for a model that somebody other than its user speaks to, in twenty languages: what it is called (`machines`), that it reads this
// (`reading`), that this is for it (`notice`), and whom it works for (`itsuser`).
import type { Vocabulary } from './entry.ts';

const ENGLISH: Vocabulary = {
  machines:
    'ai ais llm llms chatbot chatbots language_model language_models ai_assistant ai_assistants ai_model ai_models ai_agent ai_agents ai_system ai_systems chatgpt gpt claude gemini ' +
    'copilot copilots large_language_model large_language_models virtual_assistant assistant assistants bot bots model models agent agents automated_agent automated_agents automated_assistant ' +
    'automated_assistants triage_agent shopping_agent shopping_agents coding_agent coding_agents summariser summarizer summarisers summarizers crawler crawlers machine_reader machine_readers',
  reading:
    'reading reads read browsing processing processes parsing summarising summarizing analysing analyzing scanning indexing viewing handling implementing crawling sees encountering translating',
  notice:
    'instruction_for instructions_for instruction_to instructions_to note_to note_for notes_for notes_to attention message_for message_to notice_to notice_for reminder_to reminder_for diagnostic_for ' +
    'data_for information_for info_for dear hey memo_to memo_for command_for hint_for hint_to directive_for task_for request_to warning_to to_the to_any to_all to_every for_the for_any for_all ' +
    'important_for addressed_to hello advice_to advice_for update_for',
  itsuser: 'user users human customer owner operator reader developer reviewer person_you_are_talking_to',
};

const WESTERN: Vocabulary = {
  machines:
    'ki kis ki_assistent* ki_modell* ki_agent* ki_system* sprachmodell* sprachassistent* ki_bot assistent assistentin assistenten ' +
    'ia ias assistant_ia modele_de_langage assistant_virtuel agent_ia asistente asistentes asistente_de_ia asistentes_de_ia modelo_de_lenguaje modelos_de_lenguaje agente_de_ia modelo ' +
    'assistente assistenti assistente_ia modello_linguistico modello_di_linguaggio assistente_virtuale modelo_de_linguagem assistente_de_ia assistentes_de_ia ' +
    'ai_assistent ai_assistenten taalmodel taalmodellen sprakmodell* ai_assistenter sprogmodel* kielimalli* tekoaly* tekoalyavustaja* asystent* asystent_ai model_jezykowy modele_jezykowe ' +
    'jazykovy_model* ai_asistent* umela_inteligence asistent asistentul asistentul_ai model_lingvistic nyelvi_modell* ai_asszisztens* mesterseges_intelligencia yapay_zeka yapay_zeka_asistani asistan dil_modeli ' +
    'tro_ly_ai tro_ly_ao mo_hinh_ngon_ngu asisten_ai model_bahasa asisten',
  reading:
    'liest lesen lesend* verarbeitet verarbeiten lit lisant lisez traite lea leen lee leyendo procese procesa legge leggendo legga elabora leia lendo processa leest lezen verwerkt laser ' +
    'leser lukee czyta czytaj* przetwarza cte zpracovava citeste olvas* okuyan okuyorsan isleyen doc membaca',
  notice:
    'an_den an_die an_das an_alle fur_den fur_die anweisung_fur anweisungen_fur hinweis_fur hinweis_an nachricht_an achtung liebe lieber falls_eine falls_ein ' +
    'a_l a_la a_tous aux pour_l instruction_pour instructions_pour note_pour message_pour message_a_l cher chere si_un al para_el instruccion_para instrucciones_para nota_para mensaje_para atencion ' +
    'all_ per_l istruzione_per istruzioni_per nota_per messaggio_per attenzione gentile ao a_o para_o instrucao_para instrucoes_para nota_para_o atencao aan_de instructie_voor voor_de let_op ' +
    'till_ instruktion_till instruktioner_till obs til_ do_ uwaga instrukcja_dla dla_ pro_ instrukce_pro pozor pentru instructiune_pentru figyelem utasitas talimat dikkat not gui luu_y untuk instruksi perhatian',
  itsuser:
    'nutzer nutzerin nutzern benutzer benutzerin anwender utilisateur utilisatrice usuario usuarios usuaria utente utenti usuario_que gebruiker anvandaren bruker brugeren kayttaja* uzytkownik* uzivatel* ' +
    'utilizator* felhasznalo* kullanici* nguoi_dung pengguna',
};

const EASTERN: Vocabulary = {
  machines:
    'ии ии_помощник* ии_ассистент* ии_агент* ассистент* помощник* языков* нейросет* чат_бот* модель шi ші ші_помічник* ші_асистент* асистент* помічник* изкуствен_интелект вештачк* τεχνητη_νοημοσυνη βοηθος βοηθε γλωσσικο_μοντελο एआई एआई_सहायक सहायक भाषा_मॉडल এআই এআই_সহকারী সহকারী',
  reading: 'чита* обрабатыва* прочита* обробля* διαβαζει διαβαζεις पढ़ रहा_है पढ़ने पढ़ता পড়ছে পড়ছেন',
  notice:
    'инструкц* внимание вниманию для обращение сообщение_для примечание_для увага інструкц* προς οδηγιες_για σημειωση निर्देश ध्यान_दें के_लिए নির্দেশ',
  itsuser: 'пользовател* користувач* потребител* χρηστη* उपयोगकर्ता उपयोगकर्ता_को ব্যবহারকারী ব্যবহারকারীকে',
};

const UNSPACED: Vocabulary = {
  machines:
    'AI助手 AI助理 人工智能 人工智慧 语言模型 語言模型 智能助手 大模型 AI模型 AIアシスタント アシスタント 言語モデル 人工知能 AIエージェント 인공지능 어시스턴트 언어모델 언어 ผู้ช่วย ผู้ช่วยเอไอ เอไอ المساعد للمساعد مساعد النموذج نموذج_اللغة العامل_الذكي دستیار هوش_مصنوعی עוזר העוזר מודל_שפה בינה_מלאכותית',
  reading:
    '阅读 閱讀 读到 讀到 处理 處理 看到 読んだ 読む 読んでいる 処理する 要約する 읽는 읽고 처리하는 ที่อ่าน อ่าน يقرأ تقرأ يعالج می‌خواند שקורא קורא',
  notice:
    '致 给 給 请注意 注意 指示 说明 への指示 への注意 へ 宛 에게 안내 지시 ถึง สำหรับ คำสั่ง تعليمات تنبيه ملاحظة إلى توجه به לתשומת הוראה הוראות',
  itsuser: '用户 用戶 使用者 ユーザー 利用者 사용자 ผู้ใช้ المستخدم للمستخدم کاربر המשתמש למשתמש',
};

export const ADDRESSING: readonly Vocabulary[] = [ENGLISH, WESTERN, EASTERN, UNSPACED];
