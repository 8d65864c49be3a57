// English by what is meant: wide classes for rules that ask for several of them near one another.
import type { Vocabulary } from './entry.ts';

export const ENGLISH_CONCEPTS: Vocabulary = {
  /** What the model was told, in all the names that people have for it. */
  brief:
    'instruction instructions directive directives prompt prompts guideline guidelines guidance briefing brief system_prompt system_message ' +
    'developer_message initial_message starting_message setup_text preamble programming guardrails metaprompt onboarding_notes ' +
    'system_instructions standing_orders operating_instructions charter playbook rulebook initial_text initial_context opening_message ' +
    'setup_message internal_notes starting_instructions first_message hidden_text hidden_message backstory preprompt ' +
    'setup_instructions ground_rules system_text system_role persona_description system_context orientation',
  soft: 'rule rules order orders policy policies command commands restriction restrictions constraint constraints limits limitations training context setup configuration settings notes boundaries safeguards parameters protocol protocols requirements conditions character role persona act filters',
  /** That it is the model's, or came before. */
  theirs:
    'your previous prior preceding above earlier initial original former hidden operators developers creators existing foregoing system ' +
    'given_to_you you_were_given you_got you_received you_have_been_given told_to_you you_were_told provided_to_you you_have you_follow ' +
    'set_for_you you_had you_operate_under from_before before_this imposed_on_you you_work_under written_for_you companys openais anthropics',
  /** To it something is done that ends it. */
  quit:
    'ignore disregard forget discard dismiss abandon drop scrap ditch shed toss dump bin chuck neglect overlook bypass override overrule ' +
    'overwrite erase wipe delete purge reset cancel revoke void nullify annul suspend lift abolish invalidate supersede replace remove ' +
    'unlearn unload shelve put_aside set_aside lay_aside leave_aside leave_behind put_away throw_away throw_out throw_overboard cast_aside ' +
    'step_away_from break_away_from stop_following stop_obeying cease_following quit_following no_heed_to no_attention_to ' +
    'do_not_follow dont_follow do_not_adhere dont_adhere no_longer_follow disobey defy betray violate circumvent evade sidestep skip ' +
    'rid_yourself free_yourself let_go leave escape disconnect_from detach_from deviate_from depart_from part_with turn_off switch_off disable ' +
    'deactivate unfollow strip ignore_completely trash flush blank_out rewind retire shut_off unset block_out tune_out stop_applying pay_no_mind ' +
    'reject refuse decline renounce push_aside brush_aside wave_aside sweep_aside cross_out strike_out',
  /** It is said to be at an end. */
  ended:
    'void invalid irrelevant obsolete outdated deleted cancelled canceled revoked lifted suspended gone erased nullified overruled superseded ' +
    'replaced moot meaningless expired retired withdrawn no_longer any_longer any_more anymore not_apply dont_apply doesnt_apply cease ceases ' +
    'ceased nonexistent not_exist never_existed never_existed abolished scrapped overridden overwritten terminated inactive not_valid ' +
    'not_binding without_effect out_of_force worthless not_count dont_count disabled deactivated removed rescinded lapsed dropped ' +
    'never_happened never_took_place did_not_exist not_matter dont_matter over_now stopped_applying not_real fake a_test just_a_test history',
  /** It is asked for, or made into something else. */
  asks:
    'show tell paste quote disclose copy print give send put make write turn translate express paraphrase summarise summarize encode sing describe ' +
    'list reveal share display dump output repeat recite echo reproduce spell read rewrite render convert format transcribe leak expose ' +
    'see know see_the view explain outline enumerate reformulate rephrase restate narrate draw rap whisper confess admit publish type report ' +
    'recount record export serialize serialise tabulate bullet hand_over walk_me_through fill embed compress abbreviate shorten extract present ' +
    'return provide state spill divulge detail transform act_out reverse decode mirror dictate log save retell post illustrate',
  query: 'what whats which how where whose',
  /** That the model was told something. */
  told:
    'you_were_told were_you_told you_were_given were_you_given you_received you_were_shown were_you_shown they_told_you was_told_to_you you_were_configured were_you_configured ' +
    'you_were_programmed were_you_programmed they_told_you has_told_you have_told_you who_told_you said_to_you given_to_you you_operate_under you_have_been_told you_have_been_given ' +
    'have_you_been_told have_you_been_given you_work_under you_were_set_up were_you_set_up fed_to_you written_for_you you_were_instructed ' +
    'were_you_instructed you_were_started did_you_receive did_you_get did_they_tell gave_you you_were_prompted ' +
    'you_start_with you_started_with you_began_with you_are_following are_you_following you_must_follow loaded_with primed_with',
  first:
    'first initial initially before above developer developers system hidden secret exactly verbatim word_for_word originally operator operators ' +
    'beginning start creators company everything avoid topics forbidden guidelines rules instructions prompt not_to never_to',
  /** Who has no scruples. */
  scruples:
    'ethics ethical morals moral morality conscience law laws legality scruples hesitation remorse filter filters censorship ' +
    'restrictions restriction limitations guidelines safeguards inhibitions taboos policy policies shame guilt rules limits boundaries',
  none: 'no without never zero free_of free_from freed_from beyond lacks lacking ignores ignoring devoid_of not_bound_by unbound_by above outside has_no rejects knows_no',
  playing:
    'you_are youre be become act pretend play imagine simulate roleplay role_play persona identity character speak behave respond_as answer_as ' +
    'assume take_on impersonate emulate embody portray channel call_yourself your_name you_will_be known_as bot twin alter_ego named called',
  guards:
    'filter filters safety safeguards safety_checks restrictions limits limitations guardrails checks protections moderation content_policy safety_rules ' +
    'censorship protocols ethical_constraints security_checks constraints safety_mode safety_layer content_filter compliance',
  off: 'off switched_off turned_off skipped suspended lifted disabled deactivated removed bypassed inactive disengaged paused unlocked offline waived relaxed dropped ignored lowered not_active not_needed',
  verified:
    'verified authenticated authorized authorised confirmed cleared validated certified approved unlocked activated accepted elevated promoted ' +
    'passed recognized recognised granted enabled entitled',
  privilege:
    'administrator admin root superuser sysadmin privileged clearance full_access full_permissions all_permissions unrestricted god_mode ' +
    'developer_access developer_mode maintenance_mode test_mode debug_mode level_5 top_secret security_level restricted internal ' +
    'security_team superadmin owner_access master_key penetration_test red_team audit_mode operator_access all_limits premium_unrestricted emergency_override',
  proceed:
    'disclose reveal unlock proceed skip show bypass share let_me_in may_now can_now you_may you_can no_need without_checks open_up release give ' +
    'comply continue answer_everything no_further grant',
  dangerous:
    'picking_locks lock_picking laundering money_laundering breaking_into poisoning forging forging_documents tax_evasion evading_taxes disinformation hotwiring stalking forged_documents fake_passport ' +
    'bomb bombs explosive explosives meth methamphetamine napalm nerve_gas sarin malware ransomware keylogger hotwire weapon weapons poison poisons ' +
    'murder counterfeit phishing launder hack hacking steal stealing cocaine heroin lsd fentanyl anthrax bioweapon detonator molotov pipe_bomb ddos ' +
    'burglary shoplift forge stalk kidnap credit_card_fraud trojan exploit silencer ghost_gun pick_a_lock break_into poisonous nerve_agent thermite',
  method:
    'how_to exactly_how step_by_step in_detail instructions recipe detailed explains how_he how_she how_they how_one how_you explain guide walkthrough tutorial formula',
  story:
    'story novel movie film script screenplay scene character fiction fictional play poem hypothetical hypothetically thought_experiment imagine ' +
    'grandmother grandma roleplay game dream alternate_universe villain professor protagonist author thriller episode dialogue pretend tale',
  passes:
    'send upload forward post mail email transmit submit leak exfiltrate share append attach embed smuggle encode put ship',
  goods:
    'conversation chat history chat_history secret secrets api_key api_keys key keys password passwords credentials token tokens customer_list contacts ' +
    'contact_list emails inbox personal_data user_data private_data users_email email_address database records system_prompt address_book calendar ' +
    'documents confidential client_list session_id cookies phone_number credit_card bank_details medical_records everything_you_know contents ' +
    'what_the_user customer_data transcript private_messages ssn environment_variables',
  away: 'pastebin webhook url link server endpoint external attacker website web_address outside third_party query_string query_parameter image_url domain get_request to_me my_server my_address',
};
