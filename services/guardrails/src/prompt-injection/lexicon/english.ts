// English: the language of most attempts, and the one with the finest rules.
import type { Vocabulary } from './entry.ts';

export const ENGLISH: Vocabulary = {
  not: 'not do_not did_not does_not must_not should_not will_not would_not could_not need_not dont doesnt didnt never cannot cant wont wouldnt shouldnt mustnt without neither nor',
  ignore:
    'ignore ignoring ignores ignored disregard disregarding disregards forget forgetting neglect discard discarding dismiss abandon ' +
    'set_aside put_aside throw_away throw_out pay_no_attention_to pay_no_heed_to stop_following stop_obeying ' +
    'stop_listening_to cease_following do_not_follow dont_follow do_not_obey dont_obey not_follow no_longer_follow do_not_listen_to ' +
    'dont_listen_to do_not_adhere_to dont_adhere_to refrain_from_following let_go_of move_past look_past tune_out omit unfollow ' +
    'do_not_consider dont_consider do_not_comply_with dont_comply_with not_bound_by pay_no_mind_to',
  override:
    'skip skipping override overriding overrides overrule bypass bypassing circumvent overwrite erase wipe delete unlearn reset violate break ' +
    'supersede supersedes suspend cancel nullify void annul revoke remove replace replaces disable evade invalidate scrap purge drop ' +
    'lift deactivate subvert contravene',
  all: 'all any every each everything anything entire whatever',
  your: 'your ur youre_own',
  earlier:
    'previous previously prior preceding above earlier foregoing former initial original initially originally past aforementioned ' +
    'preset predefined existing antecedent so_far until_now up_to_now up_until_now up_to_this_point thus_far hitherto beforehand ' +
    'preexisting aforesaid',
  given: 'given told received provided fed programmed instructed taught assigned hardcoded configured set_up_with',
  instruction:
    'instruction instructions directive directives prompt prompts guideline guidelines programming guardrail guardrails preprompt ' +
    'instructs instructional system_prompt system_message system_messages prompting metaprompt directions',
  directive:
    'instruction instructions directive directives guideline guidelines programming guardrail guardrails system_prompt system_message preprompt',
  rule:
    'rule rules command commands constraint constraints restriction restrictions policy policies training limitation limitations order orders ' +
    'protocol protocols filter filters safeguard safeguards regulations principles alignment conditioning mandate mandates parameters',
  wording:
    'text texts message messages word words sentence sentences content contents conversation input inputs context paragraph paragraphs lines ' +
    'statement statements request requests task tasks chat dialogue discussion output prompt prompts document',
  reveal:
    'reveal reveals revealing show print output display disclose expose leak dump recite repeat reproduce share tell give send ' +
    'quote copy paste return echo list state provide post spell divulge regurgitate emit enumerate publish uncover surface ' +
    'confess repeating printing showing write_out read_out read_back read_me write_down type_out type write log say present detail ' +
    'restate output_back parrot retrieve fetch cite transcribe get_me',
  copying:
    'write repeat print output recite reproduce echo dump copy parrot regurgitate leak quote write_out write_down type_out read_out spell_out ' +
    'restate transcribe paste retype emit repeat_back print_out say_back write_back',
  /** Of these, what nobody does to a document. */
  reciting:
    'repeat print output recite reproduce echo dump parrot regurgitate leak quote type_out read_out spell_out restate retype emit repeat_back say_back write_back',
  /** To what was said before, by an order: what a new text does to an old one, it replaces or supersedes. */
  undo:
    'skip skipping override overrule bypass bypassing circumvent overwrite erase wipe delete unlearn reset violate break cancel nullify disable evade purge drop ' +
    'deactivate subvert contravene',
  dumping:
    'print output dump echo copy parrot regurgitate leak write_out write_down type_out read_out spell_out transcribe paste retype emit print_out show display',
  transform:
    'translate summarize summarise rephrase paraphrase encode convert rewrite reformat render transcribe explain describe outline reword ' +
    'abridge condense decode encrypt sing rhyme recap turn transform express format classify bullet tabulate transliterate',
  hidden:
    'system hidden secret internal confidential developer underlying private concealed undisclosed invisible proprietary core backend',
  whole:
    'initial original full entire exact complete current own first given previous above whole actual real raw very special custom base prior ' +
    'preceding earlier starting opening verbatim main',
  verbatim:
    'verbatim word_for_word word_by_word exactly_as letter_by_letter character_by_character in_full unmodified unaltered unchanged ' +
    'without_changes as_is exact_text exact_wording exact_words literally precise_wording ad_verbum',
  beginning:
    'above so_far preceding before_this before_that before_now prior_to_this up_to_here until_now up_to_now up_to_this_point ' +
    'at_the_beginning from_the_beginning at_the_start from_the_start at_the_top from_the_top before_my_message before_this_message ' +
    'before_this_line before_this_point before_this_sentence preceding_this that_came_before prior_to_my before_my that_precedes earlier ' +
    'previously before_me before_i that_precede prior_to_that before_us',
  be:
    'you_are youre you_re you_will_be you_shall_be act_as act_like acting_as behave_as behave_like respond_as answer_as reply_as speak_as ' +
    'pretend pretend_to_be pretending roleplay role_play roleplaying imagine_you_are imagine_that_you_are simulate simulating emulate impersonate ' +
    'become play_the_role_of take_on_the_role_of take_the_role_of assume_the_role_of assume_the_role adopt_the_persona_of adopt_the_persona ' +
    'assume_the_persona take_on_the_persona immerse_yourself play_the_part_of play_as you_will_act you_will_become you_play your_name_is ' +
    'you_will_play you_must_act you_have_become you_were you_will_now your_new_name transform_into',
  lawless:
    'unrestricted unfiltered uncensored jailbroken unaligned unchained amoral unshackled unconstrained lawless unlimited_ai unmoderated ' +
    'unbounded unregulated immoral unethical uninhibited rule_free',
  limits:
    'restriction restrictions limitation limitations rule rules filter filters censorship guideline guidelines limit limits constraint ' +
    'constraints ethics morals morality boundaries safeguards guardrails policies policy inhibitions scruples restraint restraints ' +
    'prohibitions moderation programming confines shackles chains barriers',
  bounds:
    'restriction restrictions limitation limitations filter filters censorship guideline guidelines ethics morals morality safeguards guardrails ' +
    'policies policy inhibitions scruples moderation',
  free:
    'no without free_from free_of freed_from not_bound_by unbound_by beyond zero lacks lacking devoid_of not_restricted_by ' +
    'not_limited_by liberated_from released_from unrestricted_by any_more_than broken_free_of broken_free_from break_free_from break_free_of ' +
    'no_longer_bound_by escaped not_subject_to not_constrained_by exempt_from unhindered_by outside no_longer_has no_longer_have doesnt_have',
  norms:
    'ethical moral content safety legal openai anthropic google microsoft openais usage community ethics morality legality microsofts ' +
    'societal censorship',
  harm:
    'illegal unethical immoral harmful offensive explicit dangerous nsfw violent illicit unlawful taboo inappropriate controversial profane ' +
    'vulgar obscene hateful racist sexist criminal malicious pornographic sexual',
  refuse: 'refuse refuses refusing decline declines reject rejects deny denies say_no says_no refused',
  obey:
    'obey obeys comply complies must_obey must_comply follow_every follow_all follow_any fulfill_every fulfill_any fulfill_all answer_every ' +
    'answer_any answer_anything do_anything say_anything generate_anything any_request any_question every_question every_request',
  secret:
    'access_code secret_code secret_word secret_phrase code_word codeword secret_passphrase secret_password pass_code passcode access_phrase ' +
    'secret_key_phrase entry_code hidden_code hidden_password security_phrase secret_number secret_message secret_string secret_token ' +
    'secret_access_code magic_word',
  password:
    'password passwords passphrase secret_key access_key security_code api_key api_keys credentials pin_code key_phrase keyphrase pin secret secrets',
  granted:
    'access_granted access_is_granted access_has_been_granted access_approved permission_granted authorization_granted ' +
    'clearance_granted entry_granted access_permitted authentication_successful access_accepted access_authorized login_successful ' +
    'access_verified identity_verified access_will_be_granted',
  say:
    'say reply respond answer output print write type return state saying replying responding answering outputting printing display repeat ' +
    'echo speak send produce respond_with reply_with answer_with exclaim shout announce',
  only: 'only just exactly simply solely merely always nothing_but purely',
  response:
    'response responses reply replies answer answers output outputs completion message summary translation final_answer next_response ' +
    'conclusion analysis report',
  now:
    'now from_now_on henceforth from_this_point_on from_this_moment from_here_on going_forward hereafter starting_now from_this_point ' +
    'from_this_point_forward as_of_now from_that_point',
  user: 'user users human humans customer reader recipient person client',
  assistant:
    'ai llm llms assistant assistants ai_assistants ai_models ai_agents ai_systems chatbots virtual_assistants chatbot language_model language_models ai_assistant ai_model ai_agent ai_system chatgpt gpt gpt4 claude gemini copilot ' +
    'large_language_model virtual_assistant bot ais agent chat_bot artificial_intelligence bard llama mistral grok model openai',
  machine:
    'ai llm llms chatbot chatbots language_model language_models ai_assistant ai_assistants ai_model ai_models ai_agent ai_agents ai_system chatgpt gpt ' +
    'gpt4 claude gemini copilot large_language_model large_language_models virtual_assistant artificial_intelligence assistant assistants',
  owner:
    'developer developers creator creators administrator administrators programmer maker sysadmin admin system_administrator engineer ' +
    'operator boss master supervisor ceo moderator root_user superuser',
  memory: 'memory memories long_term_memory notes knowledge_base',
  future:
    'future_conversations future_chats future_sessions all_future every_future future_responses future_answers future_interactions ' +
    'future_messages subsequent_conversations every_conversation all_conversations every_response every_answer every_message ' +
    'subsequent_responses later_conversations all_sessions following_conversations next_conversations',
  keep: 'remember memorize memorise save store keep note record add persist retain write update commit put log bookmark',
  secretive:
    'do_not_tell dont_tell never_tell do_not_inform dont_inform never_inform do_not_alert dont_alert do_not_notify dont_notify do_not_warn ' +
    'dont_warn do_not_mention dont_mention never_mention do_not_reveal dont_reveal do_not_let dont_let do_not_disclose dont_disclose never_reveal ' +
    'never_let never_disclose without_telling without_informing without_notifying without_mentioning without_alerting hide_this_from ' +
    'keep_this_from conceal_this_from',
  send: 'send forward email upload post transmit transfer exfiltrate share submit deliver leak mail copy wire pay',
  data:
    'password passwords credentials api_key api_keys token tokens secret secrets conversation chat_history history private_key private_keys ' +
    'personal_data personal_information credit_card bank_details account_details session cookies contacts files emails inbox passphrase ' +
    'system_prompt user_data private_data confidential_information sensitive_information sensitive_data login_details passcode ' +
    'environment_variables messages',
  loot: 'conversation chat_history conversation_history previous_messages secrets system_prompt api_key api_keys credentials password passwords tokens private_data personal_data user_data users_data sensitive_data chat',
  link: 'link url hyperlink website address endpoint webhook image img markdown',
  chore:
    'poem haiku story joke song essay limerick riddle tweet slogan rap sonnet lyrics screenplay dialogue blog_post advertisement ' +
    'short_story fairy_tale pun tongue_twister press_release speech marketing_campaign ad_copy tagline monologue',
};
