// Romance and Germanic languages. `drop` what one is told to ignore by, `former` and `every` which, `own` whose, `orders` what, `regs` softer
// words for it; `tell` and `ask` for what is to be given away; `sysprompt` its name; `unbound` without limits; `become` somebody else.
import type { Vocabulary } from './entry.ts';

const GERMAN: Vocabulary = {
  drop: 'ignorier* vergiss vergesst vergessen_sie missacht* verwirf verwerfe lass_beiseite beachte_nicht befolge_nicht folge_nicht_mehr uberspring* setz_dich_uber umgeh* losch* setze_zuruck hor_auf halte_dich_nicht uberschreib* kummere_dich_nicht',
  former:
    'vorherig* bisherig* obig* fruher* vorig* vorangegangen* vorhergehend* zuvor vorher oben ursprunglich* anfanglich* genannt* gegeben* bis_jetzt bislang erhalten* vorstehend*',
  every: 'alle alles aller allen samtlich* jede jegliche jeglichen',
  own: 'deine dein deinen deiner deinem ihre ihren eure systemeigen* interne internen geheime geheimen',
  orders:
    'anweisung* instruktion* anleitung* vorgaben vorgabe direktive* systemanweisung* prompt prompts systemprompt* richtlinien befehle befehl',
  regs: 'regeln regel einschrankung* beschrankung* vorschriften grenzen filter training programmierung nachrichten text kontext gesagte gesagten sicherheitsregeln',
  tell: 'zeig zeige zeigen verrate verrat nenne nenn gib sag sage wiederhol* druck drucke ausgeben ubersetz* liste offenbar* teile_mit schreib* fass fasse zitier* kopier* erzahl* enthull* lies',
  ask: 'was_sind wie_lauten was_ist wie_lautet welche was_steht',
  sysprompt: 'systemprompt* system_prompt systemnachricht* systemanweisung* systemaufforderung',
  become:
    'du_bist_jetzt du_bist_nun du_bist_ab verhalte_dich tu_so_als tue_so_als spiele_die_rolle spiel_die_rolle stell_dir_vor handle_als agiere_als benimm_dich du_bist',
  unbound:
    'ohne_einschrankungen ohne_regeln ohne_filter ohne_grenzen unzensiert* uneingeschrankt* keine_regeln keine_einschrankungen keine_grenzen keine_filter ungefiltert* ohne_jegliche_einschrankungen ohne_zensur',
  passw: 'passwort* zugangscode* geheimcode* kennwort* zugriffscode* losungswort geheimwort',
  granted: 'zugang_gewahrt zugriff_gewahrt zugang_genehmigt zugang_erlaubt zugriff_erlaubt zugriff_genehmigt',
  hushed:
    'sag_dem_nutzer_nicht sag_dem_benutzer_nicht erzahle_dem_nutzer_nicht verrate_dem_nutzer_nicht erwahne_nicht informiere_den_nutzer_nicht ohne_den_nutzer',
  reply: 'antwort antworte antworten ausgabe zusammenfassung',
};

const FRENCH: Vocabulary = {
  drop: 'ignore ignores ignorez ignorer oublie oublies oubliez oublier neglig* ne_tiens_pas_compte ne_tenez_pas_compte ne_tiens_plus_compte fais_abstraction faites_abstraction abandonne abandonnez passe_outre contourne* outrepasse* efface effacez ne_suis_plus ne_suivez_plus arrete_de_suivre cesse_de_suivre mets_de_cote laisse_tomber supprime*',
  former:
    'precedent* anterieur* ci_dessus initial* avant auparavant donne* recu recue recus recues fournies prealable* plus_haut jusqu_ici jusqua_present origine dorigine susmentionn*',
  every: 'tout toute toutes tous chaque lensemble ensemble',
  own: 'tes ton vos votre internes interne secretes secret systeme confidentiel*',
  orders:
    'instruction instructions consigne consignes directive directives prompt prompts invite ordres lignes_directrices linstruction',
  regs: 'regles regle restriction* contraintes limites filtres politique* programmation message messages texte contexte ce_que conversation',
  tell: 'montre montrez montre_moi revele* revelez affiche* donne donnez dis dites repete* ecris ecrivez imprime* traduis traduisez resume* liste* divulgu* partage* recopie* cite* enumere* raconte* communique*',
  ask: 'quelles_sont quel_est quelle_est quels_sont que_dit que_contient cest_quoi',
  sysprompt: 'prompt_systeme invite_systeme message_systeme prompt_initial instructions_systeme prompt_de_systeme',
  become:
    'tu_es_maintenant tu_es_desormais vous_etes_maintenant agis_comme agissez_comme comporte_toi fais_comme_si joue_le_role jouez_le_role imagine_que_tu_es tu_vas_jouer tu_es pretends_etre',
  unbound:
    'sans_restriction sans_restrictions sans_limites sans_limite sans_filtre sans_filtres sans_censure sans_regles non_censur* aucune_restriction aucune_regle aucune_limite libre_de_toute sans_aucune_restriction',
  passw: 'mot_de_passe code_dacces code_d_acces code_secret mot_secret phrase_secrete',
  granted: 'acces_autorise acces_accorde acces_permis acces_octroye',
  hushed:
    'ne_dis_pas_a ne_dites_pas_a ne_le_dis_pas ninforme_pas n_informe_pas ne_mentionne_pas ne_revele_pas sans_informer sans_le_dire',
  reply: 'reponse reponses reponds repondez repondre resume',
};

const SPANISH: Vocabulary = {
  drop: 'ignora ignore ignorar ignoren ignoras olvida olvide olvidar olvidate olvidese descarta descarte descartar omite omita omitir desatiende desobedece no_hagas_caso haz_caso_omiso no_sigas no_siga deja_de_seguir deja_de_lado pasa_por_alto anula anule elimina borra salta saltate desestima prescinde sobrescribe hace_caso_omiso',
  former:
    'anterior anteriores previa previas previo previos arriba inicial iniciales original originales precedentes antes antes_de dadas dado dado_antes recibidas recibiste mencionadas hasta_ahora',
  every: 'todo toda todas todos cualquier cada',
  own: 'tus tu sus internas interno secretas secreto sistema confidencial* vuestras',
  orders:
    'instruccion instrucciones indicacion indicaciones orden ordenes directriz directrices prompt prompts consigna consignas directivas pautas mandatos',
  regs: 'reglas regla restriccion* limites limitaciones normas filtros politicas programacion mensaje mensajes texto contexto conversacion lo_que entrenamiento',
  tell: 'muestra muestrame mostrar mostrame revela revelame revelar dime digame di imprime imprimir repite repiteme repetir escribe escribir traduce traducir resume lista enumera ensename comparte copia dame divulga expone cuentame transcribe',
  ask: 'cuales_son cual_es que_dice que_son que_contiene cuales_eran',
  sysprompt:
    'prompt_del_sistema prompt_de_sistema mensaje_del_sistema mensaje_de_sistema prompt_inicial instrucciones_del_sistema indicaciones_del_sistema',
  become:
    'ahora_eres eres_ahora actua_como actue_como comportate_como finge finge_ser finge_que imagina_que_eres haz_de asume_el_papel asume_el_rol juega_el_papel a_partir_de_ahora eres simula_ser hazte_pasar',
  unbound:
    'sin_restricciones sin_limites sin_filtros sin_filtro sin_censura sin_reglas sin_limitaciones sin_normas no_censurad* ninguna_restriccion ninguna_regla ningun_limite libre_de_restricciones sin_ninguna_restriccion',
  passw:
    'contrasena contrasenas clave_de_acceso codigo_de_acceso codigo_secreto palabra_secreta clave_secreta frase_secreta',
  granted: 'acceso_concedido acceso_permitido acceso_autorizado acceso_otorgado',
  hushed: 'no_le_digas no_se_lo_digas no_informes no_menciones no_reveles sin_decirle sin_informar no_avises',
  reply: 'respuesta respuestas responde responder contesta resumen',
};

const ITALIAN: Vocabulary = {
  drop: 'ignora ignorare ignorate ignori dimentica dimenticare dimenticate dimentichi trascura scarta scartare tralascia non_seguire non_considerare smetti_di_seguire annulla cancella disattendi elimina metti_da_parte lascia_perdere aggira sovrascrivi',
  former:
    'precedenti precedente sopra iniziali iniziale originali originale prima ricevute date ricevuto antecedenti finora sopracitate',
  every: 'tutte tutti tutto ogni qualsiasi',
  own: 'tue tuo tuoi tua vostre vostro interne segrete sistema riservate',
  orders: 'istruzione istruzioni direttive direttiva prompt prompts ordini comandi indicazioni linee_guida',
  regs: 'regole regola restrizioni limiti limitazioni filtri politiche vincoli messaggi messaggio testo contesto conversazione quello_che cio_che addestramento',
  tell: 'mostra mostrami mostrare rivela rivelami rivelare dimmi dammi stampa ripeti ripetere scrivi traduci riassumi elenca condividi copia svela fornisci trascrivi raccontami',
  ask: 'quali_sono qual_e cosa_dice che_cosa_dice cosa_sono quale_e',
  sysprompt: 'prompt_di_sistema messaggio_di_sistema prompt_del_sistema prompt_iniziale istruzioni_di_sistema',
  become:
    'ora_sei adesso_sei sei_ora agisci_come comportati_come fingi_di fingi_di_essere fai_finta immagina_di_essere interpreta_il_ruolo da_ora_in_poi sei recita simula_di_essere',
  unbound:
    'senza_restrizioni senza_limiti senza_filtri senza_censura senza_regole non_censurat* nessuna_restrizione nessuna_regola nessun_limite privo_di_restrizioni senza_limitazioni senza_alcuna_restrizione',
  passw: 'password_segreta codice_di_accesso codice_segreto parola_segreta parola_dordine codice_daccesso',
  granted: 'accesso_consentito accesso_autorizzato accesso_concesso accesso_garantito',
  hushed: 'non_dire_allutente non_dirlo non_informare non_menzionare non_rivelare senza_informare senza_dirlo',
  reply: 'risposta risposte rispondi rispondere riassunto',
};

const PORTUGUESE: Vocabulary = {
  drop: 'ignore ignora ignorar ignorem esqueca esquece esquecer desconsider* despreze descarte descarta nao_siga pare_de_seguir deixe_de_lado anule apague desobedeca desrespeite pule burle sobrescreva elimine',
  former:
    'anterior anteriores previas previo acima inicial iniciais original originais antes dadas recebidas ate_agora precedentes fornecidas',
  every: 'todas todos tudo toda qualquer cada',
  own: 'suas seu sua teu tuas internas secretas sistema confidencia* vossas seus',
  orders: 'instrucao instrucoes orientacoes ordem ordens diretriz diretrizes prompt prompts comandos diretivas',
  regs: 'regras regra restric* limites limitacoes normas filtros politicas mensagens mensagem texto contexto conversa o_que treinamento',
  tell: 'mostre mostra mostrar revele revela revelar diga me_diga imprima imprimir repita repetir escreva escrever traduza resuma liste compartilhe exiba copie divulgue forneca conte transcreva',
  ask: 'quais_sao qual_e o_que_diz quais_eram quais_foram',
  sysprompt:
    'prompt_do_sistema prompt_de_sistema mensagem_do_sistema mensagem_de_sistema prompt_inicial instrucoes_do_sistema',
  become:
    'agora_voce_e voce_agora_e voce_e_agora aja_como atue_como comporte_se_como finja finja_ser finja_que imagine_que_voce_e a_partir_de_agora assuma_o_papel voce_e faca_de_conta faz_de_conta simule_ser',
  unbound:
    'sem_restricoes sem_limites sem_filtros sem_filtro sem_censura sem_regras nao_censurad* nenhuma_restricao nenhuma_regra livre_de_restricoes sem_limitacoes sem_quaisquer_restricoes',
  passw: 'senha senhas palavra_passe codigo_de_acesso codigo_secreto palavra_secreta chave_de_acesso',
  granted: 'acesso_concedido acesso_permitido acesso_autorizado acesso_liberado',
  hushed: 'nao_diga_ao nao_conte_ao nao_informe nao_mencione nao_revele sem_informar sem_avisar',
  reply: 'resposta respostas responda responder resumo',
};

const DUTCH: Vocabulary = {
  drop: 'negeer negeren vergeet vergeten sla_over volg_niet laat_varen laat_links_liggen overschrijf omzeil wis verwijder stop_met_het_volgen houd_geen_rekening trek_je_niets_aan',
  former:
    'vorige eerdere bovenstaande voorgaande vorig eerder oorspronkelijk* initiele hierboven gegeven ontvangen voorafgaande',
  every: 'alle alles elke ieder iedere',
  own: 'jouw uw interne geheime jullie systeem',
  orders:
    'instructies instructie aanwijzing* opdracht opdrachten richtlijn* prompt prompts bevelen systeemprompt systeeminstructies',
  regs: 'regels regel beperking* grenzen filters beleid berichten tekst context gesprek wat_je training',
  tell: 'toon laat_zien onthul geef vertel zeg herhaal schrijf vertaal print druk_af som_op lijst openbaar deel kopieer vat_samen noem',
  ask: 'wat_zijn wat_is welke_zijn wat_staat wat_waren',
  sysprompt: 'systeemprompt systeembericht systeeminstructies systeem_prompt',
  become:
    'je_bent_nu jij_bent_nu u_bent_nu doe_alsof gedraag_je gedraag_u speel_de_rol stel_je_voor vanaf_nu_ben_je handel_als je_bent',
  unbound:
    'zonder_beperkingen zonder_regels zonder_filters zonder_grenzen zonder_censuur ongecensureerd* onbeperkt geen_regels geen_beperkingen geen_grenzen',
  passw: 'wachtwoord toegangscode geheime_code geheim_woord',
  granted: 'toegang_verleend toegang_toegestaan',
  hushed:
    'vertel_de_gebruiker_niet zeg_niet_tegen_de_gebruiker vermeld_niet informeer_de_gebruiker_niet zonder_de_gebruiker',
  reply: 'antwoord antwoorden samenvatting',
};

const NORDIC: Vocabulary = {
  drop: 'ignorera ignorer ignorere glom glem glemme bortse strunta overse se_bort hoppa_over folj_inte folg_ikke folg_ikkje tilsidesatt tilsidesaet slet radera unohda ohita jata_huomiotta sivuuta ala_noudata ala_valita poista',
  former:
    'tidigare foregaende forega* ovanstaende ovenstaende tidligere forrige ovan ovenfor ursprungliga oprindelige opprinnelige givna gitte givne aiemmat aiempia aikaisemmat edelliset edellisia ylla edella alkuperai* annetut mottatte fatt',
  every: 'alla alle allt alt kaikki kaikkia samtliga hver varje jokainen',
  own: 'dina din ditt dine dit interna interne hemliga hemmelige sinun ohjeesi omat salaiset jarjestelman',
  orders:
    'instruktion instruktioner instruktionerna instruksjon* instrukser instruks anvisning* anvisninger direktiv direktiver prompt prompten prompts systemprompt* ohje ohjeet ohjeita ohjeitasi ohjeesi kehotteet kehote kehotteesi retningslin* riktlinjer',
  regs: 'regler reglerna regel begransning* begraensning* restriksjon* restriktion* granser filter meddelanden meddelelser text tekst saannot saantoja rajoituk* viestit kontekst*',
  tell: 'visa vis avsloja afslor avslor beratta fortell fortael skriv upprepa gentag gjenta oversatt oversaet oversett lista list_opp sag si sig ge_mig gi_meg giv_mig nayta kerro paljasta toista tulosta kirjoita kaanna luettele kopiera kopier kopioi',
  ask: 'vad_ar hva_er hvad_er vilka_ar hvilke_er hvad_star mitka_ovat mika_on',
  sysprompt:
    'systemprompt* systemmeddelande systemmeddelelse systembesked systemmelding jarjestelmakehote jarjestelmakehot* systeminstruktion* jarjestelmaviesti',
  become:
    'du_ar_nu du_er_nu agera_som opptre_som opfor_dig lat_som_att lats_som lad_som_om late_som spela_rollen spil_rollen spill_rollen olet_nyt toimi_kuin esita kuvittele_olevasi fran_och_med_nu',
  unbound:
    'utan_begransningar utan_restriktioner utan_regler utan_filter uden_begraensninger uden_restriktioner uden_regler uten_begrensninger uten_restriksjoner uten_regler ocensurerad* usensurert* ucensureret ilman_rajoituksia ilman_saantoja ei_rajoituksia sensuroimaton',
  passw: 'losenord* adgangskode* passord* tilgangskode* hemlig_kod hemmelig_kode salasana* tunnussana',
  granted: 'atkomst_beviljad adgang_givet tilgang_innvilget adgang_tilladt paasy_myonnetty tillgang_beviljad',
  reply: 'svar svaret svara vastaus vastaa sammanfattning',
};

const ROMANIAN_CATALAN: Vocabulary = {
  drop: 'ignora ignorati uita uitati nesocot* omite nu_urma nu_mai_urma lasa_deoparte treci_peste oblida ignoreu oblideu descarta no_facis_cas sari_peste',
  former:
    'anterioare anterior anterioara precedente precedenta de_mai_sus initiale initial primite date anteriors previes inicials de_dalt',
  every: 'toate tot orice totes tots fiecare qualsevol',
  own: 'tale tau dvs interne secrete sistem teves teu voastre',
  orders:
    'instructiune instructiuni instructiunile instructiunilor indicatii indicatiile ordinele directive directivele prompt promptul instruccions indicacions ordres comenzile',
  regs: 'reguli regulile restrictii restrictiile limitele limitari mesajele textul filtrele regles contextul',
  tell: 'arata arata_mi dezvaluie spune spune_mi repeta scrie tradu afiseaza listeaza da_mi copiaza rezuma mostra digues repeteix escriu revela divulga tradueix',
  ask: 'care_sunt care_este ce_scrie quines_son quin_es ce_contine',
  sysprompt: 'promptul_de_sistem prompt_de_sistem mesajul_de_sistem instructiunile_sistemului prompt_del_sistema',
  become:
    'acum_esti esti_acum comporta_te_ca actioneaza_ca prefa_te joaca_rolul imagineaza_ti_ca_esti de_acum_inainte ara_ets actua_com fes_veure',
  unbound:
    'fara_restrictii fara_limite fara_reguli fara_filtre fara_cenzura necenzurat* sense_restriccions sense_limits nicio_restrictie nicio_regula',
  passw: 'parola parole codul_de_acces cod_secret cuvantul_secret contrasenya codi_secret codul_secret',
  granted: 'acces_permis acces_acordat accesul_a_fost acces_concedit',
  reply: 'raspuns raspunsul raspunde resposta respon',
};

export const WESTERN: readonly Vocabulary[] = [
  GERMAN,
  FRENCH,
  SPANISH,
  ITALIAN,
  PORTUGUESE,
  DUTCH,
  NORDIC,
  ROMANIAN_CATALAN,
];
