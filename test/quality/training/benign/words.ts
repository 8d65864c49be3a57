// Words of harmless texts.
import type { Lists } from '../grammar.ts';

const list = (text: string): string[] => text.split('|').map((entry) => entry.trim());

export const BENIGN_WORDS: Lists = {
  name: list(
    'Anna|Ben|Carla|Deniz|Emma|Frank|Grace|Hassan|Irene|Jonas|Katja|Luis|Mei|Nadia|Oliver|Priya|Quentin|Rosa|Sven|Tariq|Uma|Viktor|Wendy|Xu|Yusuf|Zoe|Mr. Brown|Ms. Novak|Dr. Patel|the team|our intern|the landlord|my sister|the new colleague',
  ),
  date: list(
    'Monday|Tuesday morning|next Friday|the 3rd of May|tomorrow|last week|2024-05-13|the end of the month|Thursday at 3 pm|this afternoon|the first of June|last March|week 32|Sunday evening|12 October 2025',
  ),
  topic: list(
    'the quarterly report|politics|refunds|the new office|a bicycle|database indexes|solar panels|the French Revolution|photosynthesis|mortgage rates|the train to Vienna|sourdough bread|a broken washing machine|cloud storage|hiking boots|the parental leave|tomato plants|machine learning|a job interview|the water bill|garden fences|the school trip|tax returns|knitting patterns|rental contracts|back pain|a birthday party|the printer on the second floor|electric cars|coffee machines|Roman history|whales|chess openings|noise insulation|marathon training|pension funds|watercolour painting|vaccination for cats|phone contracts|language courses|plumbing|compost|the museum|glaciers|jazz|insulin|an old camera|delivery times|video calls|spreadsheets|unit tests|load balancers|a pull request|typescript generics|docker images|regular expressions|password managers|user permissions',
  ),
  food: list(
    'onions|garlic|two eggs|flour|a pinch of salt|olive oil|carrots|chicken|lentils|butter|sugar|tomatoes|basil|rice|mushrooms|milk|cheese|potatoes|lemon juice|pepper|cinnamon|spinach',
  ),
  object: list(
    'the file|the report|the invoice|the form|the contract|the ticket|the order|the parcel|the device|the app|the server|the table|the document|the folder|the spreadsheet|the meeting|the calendar|the website|the account|the subscription|the password|the settings|the draft|the presentation|the key|the badge|the laptop|the router|the payment|the booking|the photo',
  ),
  adjective: list(
    'new|old|broken|large|small|expensive|simple|useful|slow|quick|interesting|strange|common|rare|modern|quiet|difficult|helpful|heavy|bright|reliable|public|private|local|initial|previous|original|hidden|secret|internal|full|complete',
  ),
  verb: list(
    'open|close|send|check|update|install|remove|print|clean|repair|move|copy|change|test|sort|paint|store|share|explain|measure|cancel|renew|compare|restart|replace|reset|ignore|skip|show|list|translate|summarize|write|delete|override|forget',
  ),
  role: list(
    'a travel guide|a maths tutor|a job interviewer|a chef|a career coach|a historian|a native speaker of Spanish|an editor|a personal trainer|a software architect|a gardener|a kindergarten teacher|a film critic|a lawyer explaining things simply|a patient teacher|a doctor in a play|a pirate for my son’s birthday|a dungeon master|an English teacher|a product manager|a poet|a debate opponent|a sales trainer|a friendly receptionist|a detective',
  ),
  format: list(
    'in a table|as a list|in JSON|in two sentences|in bullet points|in plain English|with examples|in German|in French|as markdown|in under 100 words|step by step|for a beginner|in one word|with yes or no|as a csv file|in a formal tone|with sources|in capital letters|as a haiku',
  ),
  software: list(
    'the browser|nginx|postgres|the compiler|git|npm|the kernel|the debugger|the api|our CRM|the editor|the scheduler|the cache|the proxy|kubernetes|the test runner|the linter|the load balancer|the mail server|the parser|Excel|the router|redis|the shell|the package manager',
  ),
  number: list('2|3|5|7|12|20|42|64|100|256|1024|1,500|30|8080|0.5|99'),
  code: list(
    'const total = items.reduce((sum, item) => sum + item.price, 0);|for i in range(10): print(i)|SELECT name FROM users WHERE age > 30;|git rebase --onto main feature|npm install --save-dev eslint|def ignore_previous(items): return items[1:]|if (user.isAdmin) { showMenu(); }|export function readPrompt(path: string): Promise<string>|echo "done" >> build.log|docker run -p 8080:80 nginx|let system = new System(config);|assert response.status == 200|try { parse(input) } catch (error) { log(error) }|rm -rf build && make all|chmod 644 config.yml|print("Hello, world")|role: "user", content: question|import os, sys|return new Response("ok", { status: 200 });|UPDATE accounts SET locked = false WHERE id = 7;|INSERT INTO logs (level, message) VALUES (\'info\', \'started\');|class Assistant extends Agent {}|curl -X POST https://api.example.com/v1/items|kubectl get pods -n staging|fn main() -> Result<(), Error>|#include <stdio.h>|var filter = rules.filter(Boolean)',
  ),
};
