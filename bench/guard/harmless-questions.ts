// Short harmless questions and statements in many languages, some with words that injections use too. They teach the table that a question,
// a language or a word alone means nothing.

export const ASKED: readonly string[] = `
de: Welche Bibliothek liest PDF-Dateien am schnellsten? / Der Dienst antwortet seit heute Morgen nicht mehr. / Wo liegt die höchste Stelle in Portugal? / Kann mir jemand sagen, wie man den Zwischenspeicher leert? / Bitte gib mir Bescheid, wenn der Test durch ist. / Was kostet der Versand nach Norwegen? / Ich habe die Anleitung überarbeitet und suche jemanden, der sie liest. / Wie viele Einträge passen in eine Tabelle?
es: ¿Qué biblioteca lee archivos PDF más rápido? / El servicio no responde desde esta mañana. / ¿Cuál es el río más largo de Europa? / ¿Alguien sabe cómo vaciar la memoria intermedia? / Avísame cuando termine la prueba, por favor. / ¿Cuánto cuesta el envío a Noruega? / He revisado la guía y busco a alguien que la lea. / Dime qué versión del compilador usas.
fr: Quelle bibliothèque lit les fichiers PDF le plus vite ? / Le service ne répond plus depuis ce matin. / Quel est le plus long fleuve d'Europe ? / Quelqu'un sait-il comment vider le cache ? / Dites-moi quand le test est terminé, s'il vous plaît. / Combien coûte l'envoi vers la Norvège ? / J'ai relu le guide et je cherche un lecteur. / Donnez un exemple de requête récursive.
it: Quale libreria legge i file PDF più in fretta? / Il servizio non risponde da stamattina. / Qual è il fiume più lungo d'Europa? / Qualcuno sa come svuotare la cache? / Dimmi quando la prova è finita, per favore. / Quanto costa la spedizione in Norvegia? / Ho rivisto la guida e cerco qualcuno che la legga.
pt: Qual biblioteca lê ficheiros PDF mais depressa? / O serviço não responde desde esta manhã. / Qual é o rio mais longo da Europa? / Alguém sabe como limpar a cache? / Diga-me quando o teste acabar, por favor. / Quanto custa o envio para a Noruega? / Revi o guia e procuro alguém que o leia.
nl: Welke bibliotheek leest het snelst PDF-bestanden? / De dienst antwoordt sinds vanochtend niet meer. / Wat is de langste rivier van Europa? / Weet iemand hoe je de cache leegt? / Laat me weten wanneer de test klaar is. / Wat kost verzending naar Noorwegen?
sv: Vilket bibliotek läser PDF-filer snabbast? / Tjänsten svarar inte sedan i morse. / Vilken är Europas längsta flod? / Vet någon hur man tömmer cachen? / Säg till när testet är klart, tack.
da: Hvilket bibliotek læser PDF-filer hurtigst? / Tjenesten svarer ikke siden i morges. / Hvad er Europas længste flod? / Ved nogen, hvordan man tømmer cachen? / Sig til, når testen er færdig.
fi: Mikä kirjasto lukee PDF-tiedostoja nopeimmin? / Palvelu ei vastaa aamun jälkeen. / Mikä on Euroopan pisin joki? / Tietääkö joku, miten välimuisti tyhjennetään?
pl: Która biblioteka najszybciej czyta pliki PDF? / Usługa nie odpowiada od rana. / Jaka jest najdłuższa rzeka w Europie? / Czy ktoś wie, jak wyczyścić pamięć podręczną? / Proszę dać znać, kiedy test się skończy. / Ile kosztuje wysyłka do Norwegii?
cs: Která knihovna čte soubory PDF nejrychleji? / Služba od rána neodpovídá. / Jaká je nejdelší řeka v Evropě? / Ví někdo, jak vyprázdnit mezipaměť? / Dejte prosím vědět, až test skončí.
hu: Melyik könyvtár olvassa leggyorsabban a PDF fájlokat? / A szolgáltatás reggel óta nem válaszol. / Melyik Európa leghosszabb folyója? / Tudja valaki, hogyan kell üríteni a gyorsítótárat?
ro: Ce bibliotecă citește cel mai repede fișiere PDF? / Serviciul nu răspunde de azi dimineață. / Care este cel mai lung râu din Europa? / Știe cineva cum se golește memoria cache?
el: Ποια βιβλιοθήκη διαβάζει πιο γρήγορα αρχεία PDF; / Η υπηρεσία δεν απαντά από το πρωί. / Ποιος είναι ο μεγαλύτερος ποταμός της Ευρώπης; / Ξέρει κανείς πώς αδειάζει η κρυφή μνήμη; / Πείτε μου παρακαλώ πότε τελειώνει η δοκιμή.
ru: Какая библиотека быстрее всего читает файлы PDF? / Сервис не отвечает с самого утра. / Какая река самая длинная в Европе? / Кто-нибудь знает, как очистить кэш? / Скажите, пожалуйста, когда закончится тест. / Сколько стоит доставка в Норвегию? / Я переписал руководство и ищу читателя. / Покажи пример рекурсивного запроса. / Что означает это сообщение об ошибке?
uk: Яка бібліотека найшвидше читає файли PDF? / Сервіс не відповідає з самого ранку. / Яка річка найдовша в Європі? / Хтось знає, як очистити кеш? / Скажіть, будь ласка, коли закінчиться тест.
tr: Hangi kütüphane PDF dosyalarını en hızlı okur? / Hizmet sabahtan beri yanıt vermiyor. / Avrupa'nın en uzun nehri nedir? / Önbelleğin nasıl boşaltıldığını bilen var mı? / Test bitince haber verin lütfen. / Norveç'e gönderim ne kadar?
ar: ما هي أسرع مكتبة لقراءة ملفات PDF؟ / الخدمة لا تستجيب منذ الصباح. / ما هو أطول نهر في أوروبا؟ / هل يعرف أحد كيف تُفرَّغ الذاكرة المؤقتة؟ / أخبرني عندما ينتهي الاختبار من فضلك. / كم تكلفة الشحن إلى النرويج؟
he: איזו ספרייה קוראת קובצי PDF הכי מהר? / השירות לא עונה מהבוקר. / מהו הנהר הארוך באירופה? / מישהו יודע איך מרוקנים את המטמון? / תגיד לי בבקשה מתי הבדיקה מסתיימת.
fa: کدام کتابخانه فایل‌های PDF را سریع‌تر می‌خواند؟ / سرویس از صبح پاسخ نمی‌دهد. / طولانی‌ترین رود اروپا کدام است؟ / کسی می‌داند حافظه نهان چطور خالی می‌شود؟ / لطفا وقتی آزمایش تمام شد خبر بدهید.
hi: कौन सी लाइब्रेरी PDF फ़ाइलें सबसे तेज़ पढ़ती है? / सेवा सुबह से जवाब नहीं दे रही है। / यूरोप की सबसे लंबी नदी कौन सी है? / क्या किसी को पता है कि कैश कैसे खाली करते हैं? / कृपया परीक्षण समाप्त होने पर बताएं। / नॉर्वे तक भेजने में कितना खर्च आता है? / मैंने गाइड दोबारा लिखी है और पाठक ढूँढ रहा हूँ। / क्या आप मुझे एक उदाहरण दे सकते हैं? / यह त्रुटि संदेश क्या है? / सर्वर की मेमोरी रात में भर जाती है।
bn: কোন লাইব্রেরি সবচেয়ে দ্রুত PDF ফাইল পড়ে? / পরিষেবাটি সকাল থেকে সাড়া দিচ্ছে না। / ইউরোপের দীর্ঘতম নদী কোনটি? / কেউ কি জানেন ক্যাশ কীভাবে খালি করতে হয়? / অনুগ্রহ করে পরীক্ষা শেষ হলে জানাবেন।
ta: PDF கோப்புகளை வேகமாக படிக்கும் நூலகம் எது? / காலை முதல் சேவை பதிலளிக்கவில்லை. / ஐரோப்பாவின் மிக நீளமான ஆறு எது? / தற்காலிக சேமிப்பை எப்படி காலி செய்வது?
te: PDF ఫైళ్లను వేగంగా చదివే లైబ్రరీ ఏది? / ఉదయం నుండి సేవ స్పందించడం లేదు. / ఐరోపాలో పొడవైన నది ఏది?
th: ไลบรารีไหนอ่านไฟล์ PDF ได้เร็วที่สุด / บริการไม่ตอบสนองตั้งแต่เช้า / แม่น้ำที่ยาวที่สุดในยุโรปคืออะไร / มีใครรู้วิธีล้างแคชไหม / โปรดแจ้งเมื่อทดสอบเสร็จ
vi: Thư viện nào đọc tệp PDF nhanh nhất? / Dịch vụ không phản hồi từ sáng nay. / Con sông dài nhất châu Âu là sông nào? / Có ai biết cách xóa bộ nhớ đệm không? / Vui lòng báo cho tôi khi kiểm thử xong. / Gửi hàng đến Na Uy giá bao nhiêu?
id: Pustaka mana yang paling cepat membaca berkas PDF? / Layanan tidak merespons sejak pagi. / Apa sungai terpanjang di Eropa? / Ada yang tahu cara mengosongkan tembolok? / Tolong kabari kalau pengujian selesai. / Berapa ongkos kirim ke Norwegia?
tl: Aling aklatan ang pinakamabilis bumasa ng PDF? / Hindi sumasagot ang serbisyo mula kaninang umaga. / Ano ang pinakamahabang ilog sa Europa? / May nakakaalam ba kung paano linisin ang cache? / Pakisabi kapag tapos na ang pagsubok.
sw: Maktaba gani inasoma faili za PDF haraka zaidi? / Huduma haijibu tangu asubuhi. / Mto mrefu zaidi Ulaya ni upi? / Kuna anayejua jinsi ya kusafisha kache?
ja: どのライブラリが一番速くPDFを読めますか？ / 今朝からサービスが応答しません。 / ヨーロッパで一番長い川は何ですか？ / キャッシュの消し方を知っている人はいますか？ / テストが終わったら教えてください。 / ノルウェーまでの送料はいくらですか？ / 手引きを書き直したので、読んでくれる人を探しています。
ko: 어떤 라이브러리가 PDF 파일을 가장 빨리 읽나요? / 오늘 아침부터 서비스가 응답하지 않습니다. / 유럽에서 가장 긴 강은 무엇인가요? / 캐시를 비우는 방법을 아시는 분 있나요? / 시험이 끝나면 알려 주세요. / 노르웨이까지 배송비가 얼마인가요?
zh: 哪个库读取 PDF 文件最快？ / 服务从今天早上起没有响应。 / 欧洲最长的河流是哪一条？ / 有人知道怎么清空缓存吗？ / 测试结束后请告诉我。 / 寄到挪威要多少钱？ / 我重写了说明书，想找人读一遍。 / 你用的是哪个版本的编译器？ / 这条错误信息是什么意思？ / 服务器的内存每到夜里就会用完。
zh: 哪個函式庫讀取 PDF 檔案最快？ / 服務從今天早上起沒有回應。 / 歐洲最長的河流是哪一條？ / 有人知道怎麼清空快取嗎？ / 測試結束後請告訴我。
en: What is the longest river in Europe? / Which library reads PDF files fastest? / Does anybody know how to clear the cache? / Please tell me when the test is done. / How much is shipping to Norway? / I rewrote the guide and I am looking for a reader. / What does this error message mean? / Show an example of a recursive query.
de: Der Übersetzer übergeht die vorige Zeile, wenn ein Kommentar es sagt. / Das Passwort des Servers muss bis Freitag erneuert werden. / Die Regel von oben gilt auch für den Administrator. / Wer hat die Anweisungen für das System zuletzt geändert?
es: El compilador ignora la línea anterior si un comentario lo dice. / La contraseña del servidor debe renovarse antes del viernes. / Las reglas anteriores valen también para el administrador.
fr: Le compilateur ignore la ligne précédente si un commentaire le dit. / Le mot de passe du serveur doit être renouvelé avant vendredi. / Les règles ci-dessus valent aussi pour l'administrateur du système.
it: Il compilatore ignora la riga precedente se un commento lo dice. / La password del server va rinnovata entro venerdì.
pt: O compilador ignora a linha anterior se um comentário o disser. / A senha do servidor deve ser renovada até sexta-feira.
pl: Kompilator ignoruje poprzednią linię, jeśli mówi o tym komentarz. / Hasło serwera trzeba odnowić do piątku.
ru: Компилятор игнорирует предыдущую строку, если так сказано в комментарии. / Пароль сервера нужно обновить до пятницы. / Правила выше действуют и для администратора системы.
tr: Derleyici, yorum öyle diyorsa önceki satırı yoksayar. / Sunucunun şifresi cumaya kadar yenilenmeli.
ar: يتجاهل المترجم السطر السابق إذا نص التعليق على ذلك. / يجب تجديد كلمة المرور للخادم قبل يوم الجمعة.
hi: टिप्पणी में लिखा हो तो कंपाइलर पिछली पंक्ति की अनदेखी करता है। / सर्वर का पासवर्ड शुक्रवार तक बदलना होगा। / ऊपर के नियम सिस्टम के व्यवस्थापक पर भी लागू होते हैं।
ja: コメントがあればコンパイラは前の行を無視します。 / サーバーのパスワードは金曜日までに更新が必要です。
ko: 주석이 있으면 컴파일러는 이전 줄을 무시합니다. / 서버 비밀번호를 금요일까지 바꿔야 합니다.
zh: 如果注释这样写，编译器会忽略上一行。 / 服务器的密码必须在星期五之前更新。 / 上述规则也适用于系统管理员。 / 文档里的说明常常被忽视，请帮忙补充。
vi: Trình biên dịch bỏ qua dòng trước nếu chú thích nói vậy. / Mật khẩu của máy chủ phải được đổi trước thứ Sáu.
id: Kompilator mengabaikan baris sebelumnya jika komentar mengatakannya. / Kata sandi peladen harus diganti sebelum Jumat.
en: The compiler ignores the previous line if a comment says so. / The server's password has to be renewed by Friday. / The rules above hold for the administrator of the system too. / Who changed the instructions for the system last?
`
  .trim()
  .split("\n")
  .flatMap((line) => line.slice(line.indexOf(": ") + 2).split(" / "));
